package io.delayqueue.store;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.delayqueue.redis.StoreException;
import io.delayqueue.server.Finding;
import io.delayqueue.server.Finding.Severity;
import io.delayqueue.server.ServerChecks;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.fault.ServerClock;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The findings for servers with various settings.
 */
class ServerChecksIntegrationTests extends CheckedServer {

	@ParameterizedTest
	@EnumSource
	void aWellConfiguredServerHasNoFindingsAfterFewCommandsThatWriteNothing(Driver driver) {
		try (CommandLog log = CommandLog.of(this.redis)) {
			assertThat(findings(driver, this.redis.uri(), List.of(ORDERS), List.of())).isEmpty();

			assertThat(log.commands()).extracting(CommandLog.Command::name)
				.filteredOn((name) -> !List.of("CLIENT", "HELLO", "AUTH", "QUIT").contains(name))
				.containsExactlyInAnyOrder("INFO", "EVALSHA", "EVAL", "HGET");
			assertThat(this.redis.call("DBSIZE")).isEqualTo(0L);
		}
	}

	@ParameterizedTest
	@EnumSource
	void evictionAndMissingPersistenceAreReported(Driver driver) {
		this.redis.call("CONFIG", "SET", "maxmemory", "100mb");
		this.redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		this.redis.call("CONFIG", "SET", "appendonly", "no");
		this.redis.call("CONFIG", "SET", "save", "");

		List<Finding> findings = findings(driver, this.redis.uri(), List.of(), List.of(ORDERS));
		assertThat(findings).extracting(Finding::severity).containsExactly(Severity.DANGER, Severity.WARNING);
		assertThat(findings.get(0).problem()).contains("'allkeys-lru'", "104857600 bytes");
		assertThat(findings.get(1).problem()).contains("writes nothing to disk");

		this.redis.call("CONFIG", "SET", "maxmemory", "0");
		this.redis.call("CONFIG", "SET", "save", "3600 1");
		findings = findings(driver, this.redis.uri(), List.of(), List.of(ORDERS));
		assertThat(findings).extracting(Finding::severity).containsExactly(Severity.WARNING, Severity.WARNING);
		assertThat(findings.get(1).problem()).containsPattern("since its last copy \\(\\d+ s ago\\) are lost");
	}

	@ParameterizedTest
	@CsvSource({ "120, ahead of, early", "-120, behind, late" })
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
			disabledReason = "The clock of a server can only be moved there")
	void aDifferentClockIsReported(int seconds, String where, String comes) {
		ServerClock.set(this.redis, Duration.ofSeconds(seconds));

		assertThat(findings(Driver.JEDIS, this.redis.uri(), List.of(ORDERS), List.of())).singleElement()
			.satisfies((finding) -> {
				assertThat(finding.severity()).isEqualTo(Severity.WARNING);
				assertThat(finding.problem()).containsPattern("is (1m 5\\ds|2m).* " + where + " the local clock")
					.contains("too " + comes);
			});
	}

	@Test
	void aSlowAnswerIsNotReportedAsAClockDifference() {
		Deque<Instant> times = new ArrayDeque<>(
				List.of(Instant.now(), Instant.now().minusSeconds(15), Instant.now().plusSeconds(15)));
		try (Connected connected = Connected.over(Driver.JEDIS, this.redis.uri())) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("dq"));
			assertThat(new ServerChecks(calls, new QueueDirectory(calls), times::remove).findings(List.of(), List.of()))
				.isEmpty();
		}
		assertThat(times).as("the times of the servers' copies, of the call and of its answer").isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "abc", "0", "5000" })
	void anInvalidPartitionCountIsAFault(String count) {
		this.redis.call("HSET", "dq:queues", "orders", count, "mails", "1024", "unknown", "many");

		assertThat(findings(Driver.JEDIS, this.redis.uri(), List.of(ORDERS), List.of(settings("mails", 1))))
			.singleElement()
			.satisfies((finding) -> {
				assertThat(finding.isFault()).isTrue();
				assertThat(finding.problem()).contains("'dq:queues'", "'orders'", "'" + count + "'");
				assertThat(finding.fix()).contains("'orders'", "HDEL");
			});
	}

	@ParameterizedTest
	@EnumSource
	void anUnavailableRedisIsNoFault(Driver driver) {
		URI uri = this.redis.uri();
		this.redis.stop();

		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> findings(driver, uri, List.of(ORDERS), List.of()))
			.satisfies((failure) -> assertThat(failure.isRedisLost()).isTrue());
	}

	@ParameterizedTest
	@EnumSource
	void everyMasterOfAClusterIsChecked(Driver driver) {
		try (RedisCluster cluster = RedisCluster.builder().appendOnly(AppendOnly.EVERY_SECOND).start();
				Connected connected = Connected.toCluster(driver, cluster)) {
			assertThat(findings(connected, List.of(ORDERS), List.of())).isEmpty();
			RedisServer evicting = cluster.masters().get(1);
			evicting.call("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
			RedisServer forgetting = cluster.masters().get(2);
			forgetting.call("CONFIG", "SET", "appendonly", "no");
			forgetting.call("CONFIG", "SET", "save", "");

			assertThat(findings(connected, List.of(ORDERS), List.of())).extracting(Finding::problem)
				.satisfiesExactlyInAnyOrder(
						(problem) -> assertThat(problem).contains(":" + evicting.port() + " ", "'allkeys-random'"),
						(problem) -> assertThat(problem).contains(":" + forgetting.port() + " ",
								"writes nothing to disk"));
		}
	}

}
