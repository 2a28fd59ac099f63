package io.delayqueue.test.fault;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CommandLogIntegrationTests {

	private static RedisServer redis;

	@BeforeAll
	static void start() {
		redis = RedisServer.builder().start();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@Test
	void commandsOfClientsAreCountedAndCommandsOfScriptsAreNot() {
		try (RespClient client = redis.client(); CommandLog log = CommandLog.of(redis)) {
			String address = client.addressSeenByServer();
			log.clear();
			client.call("SET", "key", "äöü");
			client.call("EVAL", "redis.call('GET', KEYS[1]) return redis.call('TIME')", "1", "key");
			assertThat(log.commands()).extracting(CommandLog.Command::name).containsExactly("SET", "EVAL");
			assertThat(log.commands().get(0)).isEqualTo(new CommandLog.Command(address, "SET", List.of("key", "äöü")));
			assertThat(log.count("eval")).isOne();
		}
	}

	@Test
	void idleServerHasNoCommands() {
		try (CommandLog log = CommandLog.of(redis)) {
			assertThat(log.count()).isZero();
			assertThat(log.count()).isZero();
		}
	}

	@Test
	void everyEarlierCommandIsCounted() {
		try (RespClient client = redis.client(); CommandLog log = CommandLog.of(redis)) {
			IntStream.range(0, 10_000).forEach((i) -> client.send("SET", "key", "value " + i));
			IntStream.range(0, 10_000).forEach((i) -> client.receive());
			assertThat(log.count("SET")).isEqualTo(10_000);
		}
	}

	@Test
	void clearRemovesEarlierCommands() {
		try (RespClient client = redis.client(); CommandLog log = CommandLog.of(redis)) {
			client.call("PING");
			log.clear();
			assertThat(log.commands()).isEmpty();
			client.call("PING");
			assertThat(log.count()).isOne();
		}
	}

	@Test
	void twoLogsDoNotCountEachOtherAsClients() {
		try (CommandLog first = CommandLog.of(redis); CommandLog second = CommandLog.of(redis)) {
			first.clear();
			second.clear();
			first.clear();
			assertThat(first.count()).isZero();
		}
	}

	@Test
	void logBehindProxyLeavesOutItsOwnCommands() {
		try (FaultProxy proxy = FaultProxy.to(redis); CommandLog log = CommandLog.of(proxy.uri())) {
			redis.call("PING");
			assertThat(log.commands()).extracting(CommandLog.Command::name).containsExactly("PING");
		}
	}

	@Test
	void countFailsWhenServerHasStopped() {
		try (RedisServer other = RedisServer.builder().start(); CommandLog log = CommandLog.of(other)) {
			other.kill();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(log::count);
		}
	}

}
