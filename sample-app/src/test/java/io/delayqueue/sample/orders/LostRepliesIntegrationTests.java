package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
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

/** Redis executes the commands, and a reply is lost. */
@Tag("slow")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "delayqueue.sweeper.interval=10s")
@DirtiesContext
class LostRepliesIntegrationTests {

	private static final int ORDERS = 40;

	private static final RedisServer redis = RedisServer.builder().start();

	private static final FaultProxy proxy = FaultProxy.to(redis);

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void useRedis(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.url", proxy::uri);
	}

	@AfterAll
	static void stopRedis() {
		proxy.close();
		redis.close();
	}

	@Test
	void ordersArePlacedAndPaidOnceIfAReplyIsLost() {
		SampleClient client = new SampleClient(this.port);
		List<Integer> placed = new ArrayList<>();
		List<Integer> paid = new ArrayList<>();
		for (int i = 0; i < ORDERS; i++) {
			String id = "o" + i;
			proxy.cutNextReply();
			placed.add(repeatUntilAnswered(() -> client.placeOrder(id, "user:" + id, Duration.ofHours(1))));
			if (i % 2 == 0) {
				proxy.cutNextReply();
				paid.add(repeatUntilAnswered(() -> client.post("/orders/" + id + "/pay")));
			}
		}
		assertThat(placed).containsOnly(201);
		assertThat(paid).containsOnly(200);
		Answer unpaid = client.get("/orders?status=UNPAID&limit=1");
		assertThat(unpaid.body().get("total").asInt()).isEqualTo(ORDERS / 2);
		assertThat(client.get("/orders?limit=1").body().get("total").asInt()).isEqualTo(ORDERS);
	}

	private static int repeatUntilAnswered(Supplier<Answer> call) {
		return await().until(() -> call.get().status(), (status) -> status != 503);
	}

}
