package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.redis.DriverSettings;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import io.lettuce.core.ReadFrom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Connections that read from replicas are refused, because plain commands would read from
 * them, for example the partition count of a queue. Deliveries come from the master even
 * there: a lagging replica would return the old content of a message that was cancelled
 * and scheduled again.
 */
@Tag("slow")
class ReplicaReadsIntegrationTests {

	private final RedisServer master = RedisServer.builder().setting("repl-diskless-sync-delay", 0).start();

	private final FaultProxy replication = FaultProxy.to(this.master);

	private final RedisServer replica = RedisServer.builder()
		.setting("replicaof", this.replication.host(), this.replication.port())
		.start();

	@BeforeEach
	void awaitReplica() {
		await().until(() -> this.replica.client().text("INFO", "replication").contains("master_link_status:up"));
	}

	@AfterEach
	void stop() {
		this.replica.close();
		this.replication.close();
		this.master.close();
	}

	@Test
	void recordsAreNotReadFromALaggingReplica() {
		LettuceConnectionFactory lettuce = connections(ReadFrom.REPLICA_PREFERRED);
		lettuce.start();
		try (TestPartition partition = TestPartition.on(this.master, Connected.of(lettuce))) {
			TestStore store = partition.store();
			store.schedule("a", 0, 1);
			await().until(() -> this.replica.client().text("HGET", partition.key(Key.MESSAGES), "a").contains("by 1"));
			this.replication.blackhole();
			store.cancel("a", 2);
			store.schedule("a", 0, 3);

			try (CommandLog log = CommandLog.of(this.replica)) {
				List<Entry> read = store.take("c1");
				assertThat(text(read)).containsExactly(TestMessages.record("a", 0, 3));
				store.leases().messageOf(store.partition(), read.get(0).entry());
				assertThat(log.count("XRANGE")).isEqualTo(1);
				assertThat(log.count("EVALSHA")).as("scripts run on the master").isZero();
			}
		}
		finally {
			lettuce.destroy();
		}
	}

	@Test
	void theMasterDeliversTheStoredMessages() {
		LettuceConnectionFactory lettuce = connections(ReadFrom.UPSTREAM);
		lettuce.start();
		try (TestPartition partition = TestPartition.on(this.master, Connected.of(lettuce))) {
			this.replication.blackhole();
			partition.store().schedule("a", 0, 1);
			assertThat(text(partition.store().take("c1"))).containsExactly(TestMessages.record("a", 0, 1));
		}
		finally {
			lettuce.destroy();
		}
	}

	@ParameterizedTest
	@MethodSource
	void settingsThatMayReadFromAReplicaAreDetected(ReadFrom from) {
		assertThat(DriverSettings.of(connections(from)).replicaReads()).isNotNull();
	}

	static Stream<ReadFrom> settingsThatMayReadFromAReplicaAreDetected() {
		return Stream.of(ReadFrom.REPLICA, ReadFrom.REPLICA_PREFERRED, ReadFrom.UPSTREAM_PREFERRED, ReadFrom.ANY,
				ReadFrom.ANY_REPLICA, ReadFrom.LOWEST_LATENCY, ReadFrom.subnet("10.0.0.0/8"));
	}

	@Test
	void settingsThatReadFromTheMasterAreDetected() {
		assertThat(DriverSettings.of(connections(ReadFrom.UPSTREAM)).replicaReads()).isNull();
		assertThat(DriverSettings.of(connections(ReadFrom.valueOf("master"))).replicaReads()).isNull();
		assertThat(DriverSettings.of(connections(null)).replicaReads()).isNull();
	}

	private LettuceConnectionFactory connections(@Nullable ReadFrom from) {
		LettuceClientConfigurationBuilder settings = LettuceClientConfiguration.builder()
			.shutdownTimeout(Duration.ZERO);
		if (from != null) {
			settings.readFrom(from);
		}
		LettuceConnectionFactory lettuce = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.master.host(), this.master.port()), settings.build());
		lettuce.afterPropertiesSet();
		return lettuce;
	}

	private static List<String> text(List<Entry> entries) {
		return entries.stream().map((entry) -> new String(entry.record(), StandardCharsets.UTF_8)).toList();
	}

}
