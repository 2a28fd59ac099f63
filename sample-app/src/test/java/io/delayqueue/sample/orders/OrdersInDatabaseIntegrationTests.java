package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.UUID;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The same interface, with orders in a database. */
@ActiveProfiles("database")
@TestPropertySource(properties = { "spring.datasource.url=jdbc:h2:mem:orders;MODE=PostgreSQL;DB_CLOSE_DELAY=-1" })
class OrdersInDatabaseIntegrationTests extends OrdersIntegrationTests {

	@LocalServerPort
	private int port;

	@Autowired
	private Orders orders;

	@Autowired
	private JdbcClient database;

	@Autowired
	private TransactionTemplate transaction;

	@Autowired
	private DelayQueueOutboxAdmin outbox;

	@Autowired
	private DelayQueueOperations delayQueue;

	@AfterEach
	void noRowHasFailed() {
		awaitOutbox();
		assertThat(this.outbox.failed(0, 1)).isEmpty();
	}

	@Override
	void awaitOutbox() {
		await().until(() -> rows() == 0);
	}

	@Test
	void aRollbackLeavesNeitherOrderNorTimeout() {
		String id = "o:" + UUID.randomUUID();
		this.transaction.executeWithoutResult((transaction) -> {
			this.orders.place(id, id, Duration.ofMinutes(2));
			assertThat(this.orders.find(id)).isNotNull();
			assertThat(rows()).isEqualTo(1);
			transaction.setRollbackOnly();
		});
		assertThat(this.orders.find(id)).isNull();
		assertThat(rows()).isZero();
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, id)).isEmpty();
	}

	/**
	 * The timeout of an order may arrive before the cancellation that made room for it.
	 */
	@Test
	void redisDoesNotRefuseTheTimeoutOfAFourthOrder() {
		String user = "user-" + UUID.randomUUID();
		for (int i = 0; i < 4; i++) {
			Order order = new Order(user + ":" + i, user, Order.Status.UNPAID, this.orders.now().plusSeconds(120), null,
					null, false);
			assertThat(this.delayQueue.schedule(OrderTimeouts.of(order)).id()).isEqualTo(order.id());
		}
	}

	@Test
	void theEndpointShowsTheOutbox() {
		Answer shown = new SampleClient(this.port).get("/actuator/delayqueueoutbox");
		assertThat(shown.status()).isEqualTo(200);
		assertThat(shown.body().get("failed").asInt()).isZero();
	}

	private int rows() {
		return this.database.sql("SELECT COUNT(*) FROM delayqueue_outbox").query(Integer.class).single();
	}

}
