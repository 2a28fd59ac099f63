package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.UUID;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

/** The state of orders minutes and days later, with a shifted clock. */
@Tag("slow")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureDelayQueueTest
class OrdersLaterIntegrationTests {

	@Autowired
	private DelayQueueTime time;

	/** Replaced, because it may cancel messages of these tests. */
	@MockitoBean
	private OrderReconciler upkeep;

	private final String order = "o:" + UUID.randomUUID();

	private TestQueue timeouts;

	private SampleClient client;

	@BeforeEach
	void connect(@LocalServerPort int port, @Autowired TestQueues queues) {
		this.client = new SampleClient(port);
		this.timeouts = queues.queue("order-timeout");
	}

	@Test
	void anUnpaidOrderIsCancelledAfterFifteenMinutes() {
		place(Duration.ofMinutes(15));

		this.time.advance(Duration.ofMinutes(14));
		assertThat(status()).isEqualTo("UNPAID");
		assertThat(this.timeouts).hasScheduled(this.order).dueIn(Duration.ofMinutes(1));

		this.time.advance(Duration.ofMinutes(1));
		assertThat(status()).isEqualTo("CANCELLED");
		assertThat(this.timeouts).message(this.order).wasHandled();
	}

	@Test
	void anUnpaidOrderIsCancelledAfterAWeek() {
		place(Duration.ofDays(7));

		this.time.advance(Duration.ofDays(7));

		assertThat(status()).isEqualTo("CANCELLED");
	}

	@Test
	void aPaidOrderStaysPaid() {
		place(Duration.ofMinutes(15));
		assertThat(this.client.post("/orders/" + this.order + "/pay").status()).isEqualTo(200);
		assertThat(this.timeouts).hasNo(this.order);

		this.time.advance(Duration.ofDays(1));

		assertThat(status()).isEqualTo("PAID");
		assertThat(this.timeouts).hasDeliveredNothing();
	}

	@Test
	void aTimeoutThatIsDeliveredTwiceCancelsOnce() {
		place(Duration.ofMinutes(15));
		this.timeouts.loseNextLeases(1);

		this.time.advance(Duration.ofMinutes(15));

		assertThat(status()).isEqualTo("CANCELLED");
		assertThat(this.timeouts).message(this.order).wasHandled().wasDeliveredTimes(2);
	}

	private void place(Duration payWithin) {
		assertThat(this.client.placeOrder(this.order, "u:" + this.order, payWithin).status()).isEqualTo(201);
	}

	private String status() {
		return this.client.get("/orders/" + this.order).text("status");
	}

}
