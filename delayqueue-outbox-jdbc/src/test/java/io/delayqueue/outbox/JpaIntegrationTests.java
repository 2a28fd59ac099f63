package io.delayqueue.outbox;

import java.time.Duration;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The outbox in transactions of JPA.
 */
@Tag("slow")
class JpaIntegrationTests {

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void rowsBelongToTheTransactionOfTheEntities(boolean autoCommit) {
		try (OutboxApplication application = OutboxApplication
			.on(TestDatabase.POSTGRESQL.create(), SharedRedis.get().uri())
			.set("spring.jpa.hibernate.ddl-auto", "create")
			.set("spring.datasource.hikari.auto-commit", autoCommit)
			.set("spring.jpa.properties.hibernate.connection.provider_disables_autocommit", !autoCommit)
			.with(Entities.class)
			.withJpa()
			.start()) {
			assertThat(application.bean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
			application.inTransaction(() -> place(application, "kept"));
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> application.inTransaction(() -> {
				place(application, "rolled-back");
				throw new IllegalStateException("roll back");
			}));
			await().until(() -> application.delayQueue().find("orders", "kept").isPresent());
			await().until(() -> application.rows() == 0);
			assertThat(application.delayQueue().find("orders", "rolled-back")).isEmpty();
			assertThat(application.jdbc().queryForList("SELECT id FROM purchase", String.class))
				.containsExactly("kept");
		}
	}

	private static void place(OutboxApplication application, String id) {
		var entities = EntityManagerFactoryUtils
			.getTransactionalEntityManager(application.bean(EntityManagerFactory.class));
		assertThat(entities).isNotNull();
		entities.persist(new Purchase(id));
		application.outbox().schedule(ScheduleRequest.to("orders").id(id).payload(id).delay(Duration.ofHours(1)));
	}

	@Configuration(proxyBeanMethods = false)
	@EntityScan(basePackageClasses = Purchase.class)
	static class Entities {

	}

	@Entity(name = "purchase")
	static class Purchase {

		@Id
		private String id = "";

		Purchase() {
		}

		Purchase(String id) {
			this.id = id;
		}

	}

}
