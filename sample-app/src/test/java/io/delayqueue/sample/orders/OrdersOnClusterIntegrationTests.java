package io.delayqueue.sample.orders;

import java.time.Duration;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.test.fault.RedisCluster;
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

@Tag("slow")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@DirtiesContext
class OrdersOnClusterIntegrationTests {

	private static final RedisCluster cluster = RedisCluster.builder().masters(3).start();

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void useRedis(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.cluster.nodes", () -> String.join(",", cluster.addresses()));
	}

	@AfterAll
	static void stopRedis() {
		cluster.close();
	}

	@Test
	void ordersAreTakenPaidListedAndCancelledInTime() {
		SampleClient client = new SampleClient(this.port);
		for (int i = 0; i < 20; i++) {
			Duration payWithin = (i % 2 == 0) ? Duration.ofMinutes(1) : Duration.ofMillis(500);
			assertThat(client.placeOrder("o" + i, "user" + i, payWithin).status()).isEqualTo(201);
		}
		for (int i = 0; i < 20; i += 2) {
			assertThat(client.post("/orders/o" + i + "/pay").text("status")).isEqualTo("PAID");
		}
		await().until(() -> client.get("/orders?status=CANCELLED").body().get("total").asInt() == 10);
		assertThat(client.get("/orders?status=PAID").body().get("total").asInt()).isEqualTo(10);
	}

}
