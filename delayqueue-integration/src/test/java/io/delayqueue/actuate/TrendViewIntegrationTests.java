package io.delayqueue.actuate;

import java.util.Map;

import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.store.Trends;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The trends of queues over HTTP. Each test uses its own queue. */
class TrendViewIntegrationTests {

	@AutoClose
	private static final Operating operating = Operating.start(SharedRedis.get().uri(),
			"delayqueue.trends.enabled=true");

	@ParameterizedTest
	@CsvSource({ "hour, 60, 60", "day, 900, 96", "week, 7200, 84" })
	void aTrendHasAPointForEachPartOfItsTime(String over, int seconds, int points) {
		String queue = "trend-" + over;
		operating.schedule(queue, "o-1");
		new Trends(operating.application.bean(DelayQueueEngine.class).calls()).add(queue, 1_000,
				Map.of("h", 5L, "f", 2L, "d", 1L, "w", 7L, "l10", 4L, "l40", 1L, "m", 900L));

		JsonNode trend = trend(queue + "/trend?over=" + over);

		assertThat(trend.get("queue").asString()).isEqualTo(queue);
		assertThat(trend.get("over").asString()).isEqualTo(over);
		assertThat(trend.get("secondsPerPoint").asInt()).isEqualTo(seconds);
		assertThat(trend.get("points").size()).isEqualTo(points);
		assertThat(trend.get("points").values()).filteredOn((point) -> point.get("handled").asInt() > 0)
			.singleElement()
			.satisfies((point) -> {
				assertThat(point.get("failed").asInt()).isEqualTo(2);
				assertThat(point.get("deadLettered").asInt()).isEqualTo(1);
				assertThat(point.get("waiting").asInt()).isEqualTo(7);
				assertThat(point.get("latenessP50Millis").asInt()).isEqualTo(5);
				assertThat(point.get("latenessP99Millis").asInt()).isEqualTo(900);
				assertThat(point.get("latenessMaxMillis").asInt()).isEqualTo(900);
			});
		assertThat(trend.get("points").get(0).has("latenessP50Millis")).isFalse();
	}

	@Test
	void aProcessCountsIfThePropertySaysSo() {
		try (Operating counting = Operating.start(SharedRedis.get().uri(), "delayqueue.trends.enabled=true");
				Operating other = Operating.start(SharedRedis.get().uri())) {
			counting.schedule("counted", "o-1");
			other.schedule("uncounted", "o-1");
			await().until(() -> counting.application.get("/actuator/delayqueue/counted/trend")
				.json()
				.get("points")
				.values()
				.stream()
				.anyMatch((point) -> point.get("scheduled").asInt() == 1));
			assertThat(other.application.get("/actuator/delayqueue/uncounted/trend").json().get("points").size())
				.isZero();
		}
	}

	@Test
	void anUnknownSpanOrQueueIsReported() {
		operating.schedule("known", "o-1");
		Operating.assertInvalid(operating.application.get("/actuator/delayqueue/known/trend?over=month"), "over",
				"hour, day or week");
		Operating.assertInvalid(operating.application.get("/actuator/delayqueue/known/trend?limit=5"), "limit",
				"left out");
		Operating.assertProblem(operating.application.get("/actuator/delayqueue/unknown/trend"), 404, "unknown-queue");
	}

	private static JsonNode trend(String path) {
		return operating.application.get("/actuator/delayqueue/" + path).json();
	}

}
