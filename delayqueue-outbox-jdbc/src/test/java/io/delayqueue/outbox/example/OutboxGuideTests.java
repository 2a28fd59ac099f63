package io.delayqueue.outbox.example;

import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The code of docs/transactions.md does what the guide says.
 */
class OutboxGuideTests {

	@Test
	void anOrderAndItsTimeoutAreOneTransaction() {
		try (OutboxApplication application = application(TestDatabase.POSTGRESQL.create()).start()) {
			createTable(application);
			OrderService orders = application.bean(OrderService.class);
			orders.place("o-1");
			await().until(() -> application.delayQueue().find("order-timeout", "o-1").isPresent());
			orders.pay("o-1");
			await().until(() -> application.delayQueue().find("order-timeout", "o-1").isEmpty());
			assertThat(application.jdbc().queryForObject("SELECT paid FROM orders", Boolean.class)).isTrue();
		}
	}

	@Test
	void aListenerOfTheCommitSchedules() {
		try (OutboxApplication application = application(TestDatabase.H2.create()).start()) {
			createTable(application);
			application.bean(OrderService.class).placeAndPublish("o-2");
			await().until(() -> application.delayQueue().find("order-timeout", "o-2").isPresent());
		}
	}

	@Test
	void theAnnotatedDataSourceIsThatOfTheOutbox() {
		try (OutboxApplication application = application("").set("orders.url", TestDatabase.H2.create())
			.with(TwoDataSources.class)
			.start()) {
			createTable(application);
			application.bean(OrderService.class).place("o-3");
			await().until(() -> application.delayQueue().find("order-timeout", "o-3").isPresent());
		}
	}

	private static OutboxApplication.Builder application(String database) {
		return OutboxApplication.on(database, SharedRedis.get().uri()).with(Orders.class);
	}

	private static void createTable(OutboxApplication application) {
		application.jdbc().execute("CREATE TABLE orders (id VARCHAR(100) PRIMARY KEY, paid BOOLEAN NOT NULL)");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@Import({ OrderService.class, TimeoutScheduler.class })
	static class Orders {

	}

}
