package io.delayqueue.host.batch;

import java.util.concurrent.Callable;

import io.delayqueue.host.HostComparison;
import org.junit.jupiter.api.Test;

import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

class BatchHostIntegrationTests {

	@Test
	void jobsRunAsBefore() throws ReflectiveOperationException {
		HostComparison.assertUnchanged(Billing.class, "spring.main.web-application-type=none", "host.without.batch=");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Billing {

		@Bean
		Job invoices(JobRepository repository, PlatformTransactionManager transactions, JdbcTemplate database) {
			return new JobBuilder("invoices", repository)
				.start(new StepBuilder("write", repository).tasklet((contribution, chunk) -> {
					database.execute("CREATE TABLE invoice AS SELECT 7 AS amount");
					return RepeatStatus.FINISHED;
				}, transactions).build())
				.build();
		}

		@Bean
		Callable<String> work(JdbcTemplate database) {
			return () -> "" + database.queryForList("SELECT * FROM invoice")
					+ database.queryForList("SELECT JOB_EXECUTION_ID, STATUS, EXIT_CODE FROM BATCH_JOB_EXECUTION")
					+ database.queryForList("SELECT STEP_NAME, STATUS, COMMIT_COUNT FROM BATCH_STEP_EXECUTION");
		}

	}

}
