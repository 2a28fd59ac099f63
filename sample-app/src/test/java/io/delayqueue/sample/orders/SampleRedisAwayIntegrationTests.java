package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.UUID;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Tag("slow")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "sample.orders.reconcile-interval=1s")
@DirtiesContext
class SampleRedisAwayIntegrationTests {

	private static final RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();

	@LocalServerPort
	private int port;

	private SampleClient client;

	private final String id = "o:" + UUID.randomUUID();

	@DynamicPropertySource
	static void useRedis(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.url", redis::uri);
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@BeforeEach
	void connect() {
		this.client = new SampleClient(this.port);
	}

	@Test
	void withoutRedisEveryCallRespondsWith503AndARepeatSucceeds() {
		String paid = this.id + ":paid";
		this.client.placeOrder(paid, "user", Duration.ofMinutes(5));
		redis.kill();
		assertTryAgain(this.client.placeOrder(this.id, "user", Duration.ofMinutes(5)));
		assertTryAgain(this.client.post("/orders/" + paid + "/pay"));
		assertTryAgain(this.client.get("/orders/" + paid));
		assertTryAgain(this.client.get("/orders"));
		assertThat(this.client.get("/actuator/health").status()).isEqualTo(503);
		redis.start();
		await().until(() -> this.client.placeOrder(this.id, "user", Duration.ofMinutes(5)).status() == 201);
		await().until(() -> this.client.post("/orders/" + paid + "/pay").status() == 200);
	}

	@Test
	void aHangingRedisDoesNotBlockCalls() {
		redis.freeze();
		try {
			assertTryAgain(this.client.placeOrder(this.id, "user", Duration.ofSeconds(8)));
		}
		finally {
			redis.resume();
		}
		// Redis may execute commands that were sent while it was frozen: the repeat finds
		// the order
		await().until(() -> this.client.placeOrder(this.id, "user", Duration.ofSeconds(8)).status() == 201);
		assertThat(this.client.placeOrder(this.id, "user", Duration.ofSeconds(8)).status()).isEqualTo(409);
		await().until(() -> this.client.get("/orders/" + this.id).text("closedBy").equals("TIMEOUT"));
	}

	private static void assertTryAgain(Answer answer) {
		assertThat(answer.status()).isEqualTo(503);
		assertThat(answer.header("Retry-After")).matches("[1-9]\\d*");
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(answer.text("type")).matches("urn:delayqueue-sample:(redis-unavailable|outcome-unknown)");
	}

}
