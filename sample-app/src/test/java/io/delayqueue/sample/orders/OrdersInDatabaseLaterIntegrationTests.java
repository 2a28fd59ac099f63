package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.RecordedDelivery;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

/** A shifted clock, and messages that an outbox sends after the commit. */
@Tag("slow")
@ActiveProfiles("database")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureDelayQueueTest
@TestPropertySource(properties = "spring.datasource.url=jdbc:h2:mem:later;MODE=PostgreSQL;DB_CLOSE_DELAY=-1")
class OrdersInDatabaseLaterIntegrationTests {

	@Autowired
	private DelayQueueTime time;

	/** Replaced, because it may cancel messages of these tests. */
	@MockitoBean
	private OrderReconciler upkeep;

	private final List<String> orders = Stream.generate(() -> "o:" + UUID.randomUUID()).limit(20).toList();

	private TestQueue timeouts;

	private SampleClient client;

	@BeforeEach
	void placeOrders(@LocalServerPort int port, @Autowired TestQueues queues) {
		this.client = new SampleClient(port);
		this.timeouts = queues.queue("order-timeout");
		this.orders.forEach((order) -> this.client.placeOrder(order, "u:" + UUID.randomUUID(), Duration.ofMinutes(15)));
	}

	@Test
	void assertionsWaitUntilTheOutboxHasSentItsRows() {
		for (String order : this.orders) {
			assertThat(this.timeouts).hasScheduled(order);
			this.client.post("/orders/" + order + "/pay");
			assertThat(this.timeouts).hasNo(order);
		}
	}

	@Test
	void anAdvanceWaitsUntilTheOutboxHasSentItsRows() {
		this.time.advance(Duration.ofMinutes(15));

		// The listener defers them, because the clock of the database has not advanced
		assertThat(this.timeouts.deliveries()).extracting(RecordedDelivery::id)
			.containsExactlyInAnyOrderElementsOf(this.orders);
	}

}
