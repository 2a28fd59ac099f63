package io.delayqueue.sample;

import java.util.function.Supplier;
import java.util.stream.Stream;

import io.delayqueue.sample.SampleClient.Answer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The responses of every feature while Redis is unavailable, on two instances. */
@Tag("slow")
class RedisAwayFromAllIntegrationTests {

	private static final String CALLBACK = "{\"id\":\"%s\",\"url\":\"http://127.0.0.1:1/\"}";

	private static final String PUSH = "{\"id\":\"%s\",\"at\":\"2035-01-01T00:00:00Z\",\"text\":\"ball\"}";

	private static final String ENTRY = "{\"user\":\"u\",\"msgId\":%s}";

	private static final String REPORT = "{\"game\":\"g\",\"behaviour\":\"jump\"}";

	@Test
	void everyCallRespondsWith503AndARepeatSucceeds() {
		try (SampleInstances sample = SampleInstances.start()) {
			SampleClient client = sample.client();
			client.post("/callbacks", CALLBACK.formatted("known"));
			client.post("/pushes", PUSH.formatted("known"));
			client.post("/timeline", ENTRY.formatted(1));
			client.post("/reports", REPORT);
			await().until(() -> client.get("/timeline/u/1").status() == 200);
			sample.redis().kill();
			Stream
				.<Supplier<Answer>>of(() -> client.post("/callbacks", CALLBACK.formatted("c")),
						() -> client.get("/callbacks/known"), () -> client.post("/callbacks/known/redrive"),
						() -> client.post("/pushes", PUSH.formatted("p")), () -> client.get("/pushes/known"),
						() -> client.delete("/pushes/known"), () -> client.post("/timeline", ENTRY.formatted(2)),
						() -> client.get("/timeline/u"), () -> client.get("/timeline/u/1"),
						() -> client.post("/reports", REPORT), () -> client.post("/reports/bulk", "[" + REPORT + "]"),
						() -> client.get("/reports/stats"))
				.parallel()
				.forEach((call) -> assertTryAgain(call.get()));
			sample.redis().start();
			awaitStatus(202, () -> sample.client().post("/callbacks", CALLBACK.formatted("c")));
			awaitStatus(201, () -> sample.client().post("/pushes", PUSH.formatted("p")));
			awaitStatus(204, () -> sample.client().delete("/pushes/known"));
			awaitStatus(201, () -> sample.client().post("/timeline", ENTRY.formatted(2)));
			awaitStatus(202, () -> sample.client().post("/reports", REPORT));
			awaitStatus(200, () -> sample.client().get("/timeline/u/2"));
			awaitStatus(200, () -> sample.client().get("/callbacks/known"));
			await().until(() -> sample.client().get("/reports/stats").body().at("/games/g/reported").asInt() == 2);
		}
	}

	private static void awaitStatus(int status, Supplier<Answer> call) {
		await().until(() -> call.get().status() == status);
	}

	private static void assertTryAgain(Answer answer) {
		assertThat(answer.status()).isEqualTo(503);
		assertThat(answer.header("Retry-After")).matches("[1-9]\\d*");
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(answer.text("type")).matches("urn:delayqueue-sample:(redis-unavailable|outcome-unknown)");
	}

}
