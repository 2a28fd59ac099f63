package io.delayqueue.sample.operate;

import java.time.Duration;
import java.util.UUID;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/** With unrestricted access an operator changes waiting messages of the sample. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = "management.endpoint.delayqueue.access=unrestricted")
@Import(TestRedis.class)
class UnrestrictedEndpointIntegrationTests {

	private static final String QUEUE = "/actuator/delayqueue/order-timeout";

	private final String order = "o:" + UUID.randomUUID();

	@Test
	void aTimeoutIsRescheduledShownAndCancelled(@LocalServerPort int port) {
		SampleClient client = new SampleClient(port);
		client.placeOrder(this.order, "u:" + this.order, Duration.ofDays(1));
		String id = "{\"id\":\"" + this.order + "\",\"group\":\"u:" + this.order + "\"";

		assertDone(client.post(QUEUE + "/pause", "{}"));
		assertThat(client.get(QUEUE).body().get("pausedSince").asString()).isNotEmpty();
		assertDone(client.post(QUEUE + "/resume", "{}"));
		assertDone(client.post(QUEUE + "/reschedule", id + ",\"delay\":\"2h\"}"));
		assertDone(client.post(QUEUE + "/cancel", id + "}"));
		assertThat(client.get(QUEUE + "/message?id=" + this.order + "&group=u:" + this.order).body().toString())
			.contains("FINISHED", "CANCELLED");
	}

	private static void assertDone(Answer answer) {
		assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
	}

}
