package io.delayqueue.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.server.ServerFaults;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks of a Redis that does not answer when the application starts.
 */
@Tag("slow")
class LateStartupCheckIntegrationTests extends CheckedApplication {

	private static final String UNSAVED = "writes nothing to disk";

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void faultsAreReportedWhenRedisBecomesAvailableAfterStartup(String driver, CapturedOutput output) {
		start(RedisServer.builder().setting("user", "default", "on", "nopass", "~*", "&*", "+@all", "-xadd"));
		this.redis.stop();
		ConfigurableApplicationContext context = this.application.with("spring.data.redis.client-type=" + driver)
			.start(Listening.class);
		ServerFaults faults = context.getBean(ServerFaults.class);
		assertThat(faults.faults()).isEmpty();
		assertThat(lines(output, "WARN", "Redis does not answer (")).singleElement()
			.asString()
			.contains(") at 127.0.0.1:");

		this.redis.restart();

		await(() -> !faults.faults().isEmpty());
		assertThat(faults.faults()).singleElement().asString().contains("[xadd]");
		assertThat(lines(output, "ERROR", "Delayed messages cannot work with this Redis: The Redis user lacks"))
			.hasSize(1);
		assertThat(lines(output, "WARN", UNSAVED)).hasSize(1);
		this.redis.call("ACL", "SETUSER", "default", "+xadd");
		await(() -> faults.faults().isEmpty());
		assertThat(lines(output, "WARN", UNSAVED)).hasSize(1);
	}

	@Test
	void redisThatBecomesAvailableWithoutFaultsIsCheckedOnce(CapturedOutput output) {
		start(RedisServer.builder());
		this.redis.stop();
		DelayQueueOperations producer = this.application.producer();
		assertThat(lines(output, "WARN", UNSAVED)).isEmpty();

		this.redis.restart();

		await(() -> !lines(output, "WARN", UNSAVED).isEmpty());
		await(() -> !isChecking());
		assertThat(producer.schedule("orders", "p", Duration.ofHours(1)).isAccepted()).isTrue();
		assertThat(lines(output, "WARN", UNSAVED)).hasSize(1);
		assertThat(lines(output, "ERROR", "")).isEmpty();
	}

	@Test
	@Timeout(value = 2, unit = TimeUnit.MINUTES)
	void hangingRedisDelaysTheStartByFiveSecondsAtMost(CapturedOutput output) {
		start(RedisServer.builder());
		this.redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		this.redis.freeze();

		this.application.with("spring.data.redis.client-type=lettuce").with("spring.data.redis.timeout=1h").start();

		assertThat(lines(output, "WARN", "Redis does not answer (no answer within 5 s)")).singleElement()
			.asString()
			.contains("delayqueue.startup-checks=fail", "health");
		this.redis.resume();
		await(() -> !lines(output, "WARN", "'allkeys-lru' and no maxmemory").isEmpty());
	}

	@Test
	void clusterThatBecomesAvailableLaterIsChecked(CapturedOutput output) {
		try (RedisCluster cluster = RedisCluster.builder().start()) {
			this.application = new TestApplication(URI.create("redis://unused")).without("spring.data.redis.url")
				.with("spring.data.redis.client-type=lettuce")
				.with("spring.data.redis.timeout=1s")
				.with("spring.data.redis.cluster.nodes=" + String.join(",", cluster.addresses()));
			cluster.nodes().forEach(RedisServer::kill);
			this.application.start();
			assertThat(lines(output, "WARN", "Redis does not answer (")).hasSize(1);

			cluster.nodes().forEach(RedisServer::start);
			cluster.awaitHealthy(LONG_ENOUGH);

			await(() -> !lines(output, "WARN", UNSAVED).isEmpty());
			await(() -> !isChecking());
			assertThat(lines(output, "ERROR", "")).isEmpty();
			this.application.close();
		}
	}

}
