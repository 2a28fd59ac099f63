package io.delayqueue.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.store.Trends;
import io.delayqueue.store.Trends.Span;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The trends of queues, which processes count together. */
class TrendIntegrationTests {

	private static final UnaryOperator<DelayQueueEngineBuilder> COUNTING = (builder) -> builder.trends(true)
		.intervals(TestEngines.SHORT);

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	private final String prefix = "trend-" + System.nanoTime();

	@Test
	void processesCountTogetherWhatHappensToMessages() {
		DelayQueueEngine producer = engine(COUNTING);
		DelayQueueEngine one = engine(COUNTING);
		DelayQueueEngine other = engine(COUNTING);
		schedule(producer, "waits", Duration.ofHours(1));
		consume(one);
		consume(other);
		for (int n = 0; n < 20; n++) {
			schedule(producer, ((n % 4 == 0) ? "bad-" : "good-") + n, Duration.ZERO);
		}

		await().untilAsserted(() -> {
			Map<String, Long> figures = figures(producer);
			assertThat(figures).containsEntry(Trends.SCHEDULED, 21L)
				.containsEntry(Trends.HANDLED, 15L)
				.containsEntry(Trends.FAILED, 5L)
				.containsEntry(Trends.DEAD_LETTERED, 5L)
				.containsKeys(Trends.WAITING, Trends.LONGEST_LATENESS);
			assertThat(figures.entrySet()
				.stream()
				.filter((figure) -> figure.getKey().startsWith("l"))
				.mapToLong(Map.Entry::getValue)
				.sum()).isEqualTo(20);
		});
	}

	@Test
	void aProcessWithNothingToAddMakesNoCall() {
		DelayQueueEngine producer = engine(COUNTING);
		schedule(producer, "waits", Duration.ofHours(1));
		await().until(() -> !figures(producer).isEmpty());
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			schedule(producer, "waits, too", Duration.ofHours(1));
			await().until(() -> figures(producer).get(Trends.SCHEDULED) == 2);
			schedule(producer, "third", Duration.ofHours(1));
			await().until(() -> figures(producer).get(Trends.SCHEDULED) == 3);
			assertThat(calls(log)).as("one for each change").isEqualTo(2);
		}
	}

	@Test
	void withoutTrendsAQueueHasNoSuchKeyAndNoCallIsMade() {
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			DelayQueueEngine engine = engine((builder) -> builder.intervals(TestEngines.SHORT));
			consume(engine);
			schedule(engine, "good", Duration.ZERO);
			await().until(() -> engine.operations().find("counted", "good").isEmpty());
			assertThat(figures(engine)).isEmpty();
			assertThat(calls(log)).isZero();
		}
	}

	private long calls(CommandLog log) {
		return log.commands()
			.stream()
			.filter((command) -> command.arguments().contains(Scripts.digest("add-trend"))
					|| command.arguments().contains(Scripts.text("add-trend")))
			.filter((command) -> command.arguments().toString().contains(this.prefix))
			.count();
	}

	private DelayQueueEngine engine(UnaryOperator<DelayQueueEngineBuilder> options) {
		return this.engines.engine(this.prefix, (queue) -> TestEngines.settings(queue, 3), options);
	}

	private void consume(DelayQueueEngine engine) {
		this.engines.start(engine.consumers().create(TestEngines.settings("counted", 3), (delivery) -> {
			if (delivery.id().startsWith("bad")) {
				throw new IllegalStateException("bad");
			}
			return null;
		}, null, null));
	}

	private static void schedule(DelayQueueEngine engine, String id, Duration delay) {
		engine.operations().schedule(ScheduleRequest.to("counted").payload("p").id(id).delay(delay));
	}

	/** The sums of the last hour. */
	private static Map<String, Long> figures(DelayQueueEngine engine) {
		Map<String, Long> sums = new TreeMap<>();
		List.copyOf(new Trends(engine.calls()).find("counted", Span.HOUR))
			.forEach((point) -> point.figures().forEach((name, figure) -> sums.merge(name, figure, Long::sum)));
		return sums;
	}

}
