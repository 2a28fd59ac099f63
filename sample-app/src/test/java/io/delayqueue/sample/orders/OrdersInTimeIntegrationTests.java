package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.TestRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = "delayqueue.queues.order-timeout.group.quota=1000")
@Tag("slow")
@Import(TestRedis.class)
class OrdersInTimeIntegrationTests {

	private static final Logger logger = LoggerFactory.getLogger(OrdersInTimeIntegrationTests.class);

	private static final int ORDERS = 100;

	@LocalServerPort
	private int port;

	@Test
	void halfOfAHundredOrdersArePaidAndTheOthersAreCancelledWhenTheyAreDue() {
		SampleClient client = new SampleClient(this.port);
		String user = "user-" + UUID.randomUUID();
		assertThat(total(client, user, "PAID")).isZero();
		for (int i = 0; i < ORDERS; i++) {
			boolean paid = i % 2 == 0;
			Duration payWithin = paid ? Duration.ofMinutes(10) : Duration.ofMillis(1000 + i * 40L);
			assertThat(client.placeOrder(user + ":" + i, user, payWithin).status()).isEqualTo(201);
			if (paid) {
				assertThat(client.post("/orders/" + user + ":" + i + "/pay").status()).isEqualTo(200);
			}
		}
		await().until(() -> total(client, user, "UNPAID") == 0);
		assertThat(total(client, user, "PAID")).isEqualTo(ORDERS / 2);
		assertThat(total(client, user, "CANCELLED")).isEqualTo(ORDERS / 2);
		List<Long> lateness = new ArrayList<>();
		for (int i = 0; i < ORDERS; i++) {
			Answer order = client.get("/orders/" + user + ":" + i);
			assertThat(order.text("closedBy")).isEqualTo((i % 2 == 0) ? "PAYMENT" : "TIMEOUT");
			if (i % 2 != 0) {
				assertThat(order.instant("closedAt")).isAfterOrEqualTo(order.instant("dueAt"));
				lateness.add(Duration.between(order.instant("dueAt"), order.instant("closedAt")).toMillis());
			}
		}
		lateness.sort(null);
		logger.info("Lateness of {} cancellations: median {} ms, worst {} ms", lateness.size(),
				lateness.get(lateness.size() / 2), lateness.get(lateness.size() - 1));
	}

	private static int total(SampleClient client, String user, String status) {
		return client.get("/orders?userId=" + user + "&limit=1&status=" + status).body().get("total").asInt();
	}

}
