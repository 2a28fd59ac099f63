package io.delayqueue.sample.orders;

import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The quota of orders in a database that two instances share. */
@Tag("slow")
class OrderQuotaInDatabaseIntegrationTests extends OrderQuotaScenarios {

	@BeforeAll
	static void startInstances() {
		start("spring.profiles.active=database",
				"spring.datasource.url=jdbc:h2:mem:quota;MODE=PostgreSQL;DB_CLOSE_DELAY=-1");
	}

	@AfterEach
	void everyRowWasSent() {
		await().until(() -> sample.bean(JdbcClient.class)
			.sql("SELECT COUNT(*) FROM delayqueue_outbox")
			.query(Integer.class)
			.single() == 0);
		assertThat(sample.bean(DelayQueueOutboxAdmin.class).failed(0, 1)).isEmpty();
	}

	@Override
	void breakTimeouts() {
		execute("ALTER TABLE sample_orders ADD CONSTRAINT no_timeouts CHECK (closed_by <> 'TIMEOUT') NOCHECK");
	}

	@Override
	void mendTimeouts() {
		execute("ALTER TABLE sample_orders DROP CONSTRAINT no_timeouts");
	}

	private static void execute(String statement) {
		sample.bean(JdbcClient.class).sql(statement).update();
	}

}
