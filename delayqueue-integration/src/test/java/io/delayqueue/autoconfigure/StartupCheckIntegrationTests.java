package io.delayqueue.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.List;

import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.server.ServerFaults;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.RedisSentinel;
import io.delayqueue.test.fault.ServerClock;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Checks of Redis at the start of an application.
 */
class StartupCheckIntegrationTests extends CheckedApplication {

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void faultsPreventTheStartAndArePrintedWithTheirFixes(String driver, CapturedOutput output) {
		start(RedisServer.builder());
		this.redis.call("HSET", this.application.prefix() + ":queues", "orders", "5000");
		this.redis.call("ACL", "SETUSER", "default", "-xadd", "-zscan");
		this.application.with("spring.data.redis.client-type=" + driver);
		// The first connection of Lettuce in a process may take longer on a busy machine
		// than a start waits for its checks
		try (RedisClient lettuce = RedisClient.create(this.redis.uri().toString())) {
			lettuce.connect().close();
		}

		assertThat(catchThrowable(() -> this.application.start(Listening.class)))
			.hasRootCauseInstanceOf(UnfitRedisException.class)
			.rootCause()
			.hasMessageContaining("2 fault(s)");

		String prefix = this.application.prefix();
		assertThat(output.getAll().replace(System.lineSeparator(), "\n"))
			.contains(
					"""
							APPLICATION FAILED TO START
							***************************

							Description:

							Delayed messages cannot work with this Redis:
							    1. The Redis user lacks the right to run [xadd, zscan] on keys beginning with 'PREFIX:'
							    2. Key 'PREFIX:queues' has an invalid partition count for queue 'orders': '5000'; the library does not write such a value

							Action:

							Correct each fault, or start the application anyway with delayqueue.startup-checks=warn:
							    1. Grant the missing rights with ACL SETUSER <user> +xadd +zscan
							    2. Remove field 'orders' with HDEL; the next use of the queue registers it again
							"""
						.replace("PREFIX", prefix))
			.doesNotContain("starts to handle", "ERROR io.delayqueue");
		assertThat(isChecking()).isFalse();
	}

	@Test
	void missingPermissionPreventsTheStartOfProducerEvenWithLazyInitialization() {
		start(RedisServer.builder());
		this.redis.call("ACL", "SETUSER", "default", "-zadd");
		for (String lazy : List.of("false", "true")) {
			this.application.with("spring.main.lazy-initialization=" + lazy);
			assertThatThrownBy(() -> this.application.start()).hasRootCauseInstanceOf(UnfitRedisException.class)
				.rootCause()
				.hasMessageContaining("[zadd]");
		}
		this.redis.call("ACL", "SETUSER", "default", "+zadd", "-xclaim");
		assertThat(this.application.producer().schedule("orders", "p", Duration.ofHours(1)).isAccepted())
			.as("without a permission that a producer does not need")
			.isTrue();
	}

	@Tag("slow")
	@Test
	void warnModeOnlyLogsFaultsAndForgetsCorrectedOnes(CapturedOutput output) {
		start(RedisServer.builder());
		this.redis.call("ACL", "SETUSER", "default", "-xadd");
		ConfigurableApplicationContext context = this.application.with("delayqueue.startup-checks=warn")
			.start(Listening.class);

		ServerFaults faults = context.getBean(ServerFaults.class);
		assertThat(faults.faults()).singleElement().asString().contains("[xadd]", "ACL SETUSER <user> +xadd.");
		assertThat(context.getBean(DelayQueueHealthIndicator.class).health(true)).satisfies((health) -> {
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails()).containsEntry("faults", faults.faults());
		});
		assertThat(lines(output, "ERROR", "Delayed messages cannot work with this Redis: The Redis user lacks"))
			.hasSize(1);

		this.redis.call("ACL", "SETUSER", "default", "+xadd");
		await(() -> faults.faults().isEmpty());
		await(() -> !isChecking());
		assertThat(lines(output, "INFO", "Delayed messages can work with this Redis now")).hasSize(1);
		assertThat(lines(output, "ERROR", "Delayed messages cannot work")).hasSize(1);
	}

	@Test
	void offModeDoesNotCheckRedis(CapturedOutput output) {
		start(RedisServer.builder());
		this.redis.call("ACL", "SETUSER", "default", "-xadd");
		try (CommandLog log = CommandLog.of(this.redis)) {
			ConfigurableApplicationContext context = this.application.with("delayqueue.startup-checks=off").start();

			assertThat(context.getBean(ServerFaults.class).faults()).isEmpty();
			assertThat(log.commands()).extracting(CommandLog.Command::name).doesNotContain("INFO", "EVALSHA");
		}
		assertThat(lines(output, "WARN", "")).isEmpty();
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
			disabledReason = "The clock of a server can only be moved there")
	void dangersAndWarningsAreLoggedOnceAndDoNotPreventTheStart(CapturedOutput output) {
		start(RedisServer.builder().setting("maxmemory", "100mb").setting("maxmemory-policy", "allkeys-lru"));
		ServerClock.set(this.redis, Duration.ofSeconds(10));

		ConfigurableApplicationContext context = this.application.start(Listening.class);

		assertThat(lines(output, "ERROR", "")).singleElement()
			.asString()
			.contains("'allkeys-lru'", "Set maxmemory-policy to 'noeviction'");
		assertThat(lines(output, "WARN", "")).satisfiesExactlyInAnyOrder(
				(line) -> assertThat(line).contains("writes nothing to disk"),
				(line) -> assertThat(line).containsPattern("The clock of Redis is (9s \\d+ms|10s.*) ahead"));
		assertThat(context.getBean(ServerFaults.class).faults()).isEmpty();
		context.stop();
		context.start();
		assertThat(lines(output, "ERROR", "")).hasSize(1);
		await(() -> !isChecking());
	}

	@Test
	void serverThatForbidsInfoAndConfigIsAccepted(CapturedOutput output) {
		start(RedisServer.builder().setting("rename-command", "CONFIG", ""));
		this.redis.call("ACL", "SETUSER", "default", "-info");

		this.application.start(Listening.class);

		assertThat(lines(output, "WARN", "")).singleElement()
			.asString()
			.contains("The version of the server, its eviction policy and its persistence are not known");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void masterBehindSentinelIsChecked(String driver, CapturedOutput output) {
		try (RedisSentinel sentinel = RedisSentinel.builder()
			.replicas(1)
			.sentinels(1)
			.appendOnly(AppendOnly.EVERY_SECOND)
			.start()) {
			sentinel.master().call("CONFIG", "SET", "maxmemory", "100mb");
			sentinel.master().call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
			this.application = new TestApplication(URI.create("redis://unused")).without("spring.data.redis.url")
				.with("spring.data.redis.client-type=" + driver)
				.with("spring.data.redis.timeout=2s")
				.with("spring.data.redis.sentinel.master=" + RedisSentinel.MASTER_NAME)
				.with("spring.data.redis.sentinel.nodes=" + String.join(",", sentinel.addresses()));

			this.application.start(Listening.class);

			// A slow connection only delays the check
			await(() -> !lines(output, "ERROR", "").isEmpty());
			assertThat(lines(output, "ERROR", "")).singleElement().asString().contains("'allkeys-lru'");
			this.application.close();
		}
	}

}
