package io.delayqueue.store;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.server.ServerInfo;
import io.delayqueue.server.ServerInfo.Server;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * The state of servers, as INFO returns it.
 */
@SuppressWarnings("NullAway.Init")
class ServerInfoIntegrationTests {

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
	void versionAndSettingsOfAServerAreRead(Driver driver) {
		this.redis.call("CONFIG", "SET", "maxmemory", "100mb");
		this.redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		try (Connected connected = Connected.over(driver, this.redis.uri())) {
			Server server = servers(connected).get(0);

			assertThat(server.version()).isEqualTo(this.redis.version());
			assertThat(this.redis.describe()).contains(server.product());
			assertThat(server.node()).isNull();
			assertThat(server.role()).isEqualTo("master");
			assertThat(server.uptime()).isBetween(Duration.ZERO, Duration.ofHours(1));
			assertThat(server.maxMemoryBytes()).isEqualTo(100 * 1024 * 1024);
			assertThat(server.evictionPolicy()).isEqualTo("allkeys-lru");
			assertThat(server.evictsAnyKey()).isTrue();
			assertThat(server.appendOnly()).isTrue();
			assertThat(server.lastSave()).isBetween(Instant.now().minus(Duration.ofHours(1)), Instant.now());
		}
	}

	@Test
	void oneCallReadsAllAndTheNextOneReadsChanges() {
		this.redis.call("CONFIG", "SET", "appendonly", "no");
		try (Connected connected = Connected.over(Driver.JEDIS, this.redis.uri());
				CommandLog log = CommandLog.of(this.redis)) {
			Server server = servers(connected).get(0);
			assertThat(server.maxMemoryBytes()).isZero();
			assertThat(server.evictsAnyKey()).isFalse();
			assertThat(server.appendOnly()).isFalse();
			assertThat(log.count("INFO")).isEqualTo(1);

			this.redis.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
			assertThat(servers(connected).get(0).evictionPolicy()).isEqualTo("volatile-lru");
			assertThat(servers(connected).get(0).evictsAnyKey()).as("the library's keys have no time to live")
				.isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aForbiddenInfoIsReported(Driver driver) {
		this.redis.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-info");
		try (Connected connected = Connected.over(driver,
				URI.create("redis://limited:secret@" + this.redis.host() + ":" + this.redis.port()))) {
			StoreException failure = catchThrowableOfType(StoreException.class, () -> servers(connected));

			assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED);
			assertThat(failure).hasMessageContaining("info");
		}
	}

	@ParameterizedTest
	@EnumSource
	void everyMasterOfAClusterIsReadAndAnUnavailableOneIsLeftOut(Driver driver) {
		try (RedisCluster cluster = RedisCluster.builder().replicas(1).start();
				Connected connected = Connected.toCluster(driver, cluster)) {
			List<RedisServer> masters = cluster.masters();
			masters.get(2).call("CONFIG", "SET", "maxmemory-policy", "allkeys-random");

			List<Server> servers = servers(connected);
			assertThat(servers).extracting(Server::node).isSorted().containsExactlyInAnyOrder(addresses(masters));
			assertThat(servers).allMatch((server) -> server.role().equals("master"));
			assertThat(servers).filteredOn(Server::evictsAnyKey)
				.extracting(Server::node)
				.containsExactly(addresses(masters.subList(2, 3)));

			masters.get(0).kill();
			assertThat(servers(connected)).extracting(Server::node)
				.containsExactlyInAnyOrder(addresses(masters.subList(1, 3)));
		}
	}

	private static String[] addresses(List<RedisServer> masters) {
		return masters.stream().map((node) -> node.host() + ":" + node.port()).toArray(String[]::new);
	}

	private static List<Server> servers(Connected connected) {
		return new ServerInfo(new RedisCalls(connected.template(), new KeySpace("dq"))).masters();
	}

}
