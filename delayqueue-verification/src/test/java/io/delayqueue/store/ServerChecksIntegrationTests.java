package io.delayqueue.store;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.StoreException;
import io.delayqueue.server.Finding;
import io.delayqueue.server.Finding.Severity;
import io.delayqueue.server.ServerChecks;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.fault.ServerClock;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The findings for servers with various settings. Each server begins with recommended
 * settings, for which there is no finding.
 */
@SuppressWarnings("NullAway.Init")
class ServerChecksIntegrationTests {

	private static final QueueSettings ORDERS = settings("orders", 2);

	private RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().appendOnly(AppendOnly.EVERY_SECOND).start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

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
	@EnumSource
	void forbiddenChecksAreSkipped(Driver driver) {
		this.redis.call("CONFIG", "SET", "appendonly", "no");
		this.redis.call("CONFIG", "SET", "save", "");
		assertThat(findings(driver, limited("-config"), List.of(ORDERS), List.of())).singleElement()
			.satisfies((finding) -> assertThat(finding.problem()).contains("no append-only file"));

		assertThat(findings(driver, limited("-config", "-info"), List.of(ORDERS), List.of())).isEmpty();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void forbiddenInfoIsLoggedOnce(CapturedOutput output) {
		try (Connected connected = Connected.over(Driver.JEDIS, limited("-info"))) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("dq"));
			ServerChecks checks = new ServerChecks(calls, new QueueDirectory(calls), InstantSource.system());
			checks.findings(List.of(ORDERS), List.of());
			checks.findings(List.of(ORDERS), List.of());
		}
		assertThat(output.getOut().lines().filter((line) -> line.contains(" INFO ") && line.contains("not checked")))
			.hasSize(1);
	}

	@ParameterizedTest
	@EnumSource
	void allMissingRightsAreOneFaultAndItsFixIsEnough(Driver driver) {
		URI user = limited("-@all", "+@connection", "+evalsha", "+eval", "+info", "resetkeys", "~dq:{*",
				"resetchannels", "&dq:hints");

		Finding fault = findings(driver, user, List.of(ORDERS), List.of()).get(0);

		assertThat(fault.isFault()).isTrue();
		assertThat(fault.problem()).contains("hdel", "xreadgroup", "zscan", "beginning with 'dq:'",
				"use the key 'dq:queues'");
		assertThat(fault.fix()).contains("+xgroup|create", "~dq:*").doesNotContain("+eval");
		grant(fault);
		List<Finding> left = findings(driver, user, List.of(ORDERS), List.of());
		assertThat(left).singleElement().satisfies((finding) -> {
			assertThat(finding.severity()).isEqualTo(Severity.WARNING);
			assertThat(finding.problem()).contains("channel of hints");
		});
		grant(left.get(0));
		assertThat(findings(driver, user, List.of(ORDERS), List.of())).isEmpty();
	}

	@Test
	void aProducerNeedsFewerRights() {
		URI user = limited("-xreadgroup", "-xrevrange", "-xclaim", "-xgroup", "-hscan");

		assertThat(findings(Driver.JEDIS, user, List.of(), List.of(ORDERS))).isEmpty();
		assertThat(findings(Driver.JEDIS, user, List.of(ORDERS), List.of())).singleElement()
			.satisfies((finding) -> assertThat(finding.problem())
				.contains("[hscan, xclaim, xgroup|create, xgroup|delconsumer, xreadgroup, xrevrange]"));
	}

	@Test
	void theRequiredRightsSufficeToCountAndListQueues() {
		URI producer = limited(exactly(Rights.OF_PRODUCERS));
		assertThat(findings(Driver.JEDIS, producer, List.of(), List.of(ORDERS))).isEmpty();
		try (Connected connected = Connected.over(Driver.JEDIS, producer)) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("dq"));
			assertThat(new Snapshots(calls).of(new Partition("orders", 0)).scheduled()).isZero();
		}

		URI consumer = limited(exactly(Rights.OF_CONSUMERS));
		assertThat(findings(Driver.JEDIS, consumer, List.of(ORDERS), List.of())).isEmpty();
		try (Connected connected = Connected.over(Driver.JEDIS, consumer)) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("dq"));
			assertThat(new QueueDirectory(calls).all()).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "-evalsha", "resetkeys" })
	void withoutTheRightToRunScriptsAllRequiredRightsAreReported(String missing) {
		URI user = limited(missing);
		Finding fault = findings(Driver.JEDIS, user, List.of(ORDERS), List.of()).get(0);

		assertThat(fault.isFault()).isTrue();
		assertThat(fault.problem()).contains("NOPERM");
		grant(fault);
		assertThat(findings(Driver.JEDIS, user, List.of(ORDERS), List.of())).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void rejectedCredentialsAreReported(Driver driver) {
		this.redis.call("CONFIG", "SET", "requirepass", "secret");
		URI wrong = URI.create("redis://:wrong@" + this.redis.host() + ":" + this.redis.port());

		for (URI uri : List.of(this.redis.uri(), wrong)) {
			assertThat(findings(driver, uri, List.of(ORDERS), List.of())).singleElement().satisfies((finding) -> {
				assertThat(finding.isFault()).isTrue();
				assertThat(finding.problem()).contains("rejects this application's credentials")
					.containsAnyOf("NOAUTH", "WRONGPASS");
			});
		}
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
				assertThat(finding.problem()).containsPattern("is 1[12]\\d{4} ms " + where + " the local clock")
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

	/** A user with all rights but the given ones. */
	private URI limited(String... rules) {
		String[] command = new String[9 + rules.length];
		System.arraycopy(new String[] { "ACL", "SETUSER", "limited", "reset", "on", ">secret", "~*", "&*", "+@all" }, 0,
				command, 0, 9);
		System.arraycopy(rules, 0, command, 9, rules.length);
		this.redis.call(command);
		return URI.create("redis://limited:secret@" + this.redis.host() + ":" + this.redis.port());
	}

	/** Rules that grant only the required rights and those that every driver needs. */
	private static String[] exactly(List<String> needed) {
		String rules = "resetkeys resetchannels -@all +@connection " + Rights.all(new KeySpace("dq"), needed);
		return rules.split(" ");
	}

	/** Runs the fix of a finding, without rules that the user already has. */
	private void grant(Finding finding) {
		for (String rule : finding.fix().split(" ")) {
			if (rule.matches("[~&+].*")) {
				try {
					this.redis.call("ACL", "SETUSER", "limited", rule);
				}
				catch (RespException needless) {
					assertThat(needless).hasMessageContaining("does not have any effect");
				}
			}
		}
	}

	private static List<Finding> findings(Driver driver, URI uri, List<QueueSettings> consumed,
			List<QueueSettings> otherQueues) {
		try (Connected connected = Connected.over(driver, uri)) {
			return findings(connected, consumed, otherQueues);
		}
	}

	private static List<Finding> findings(Connected connected, List<QueueSettings> consumed,
			List<QueueSettings> otherQueues) {
		RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("dq"));
		return new ServerChecks(calls, new QueueDirectory(calls), InstantSource.system()).findings(consumed,
				otherQueues);
	}

	private static QueueSettings settings(String name, int partitions) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(name, partitions, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
