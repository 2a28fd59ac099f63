package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RedisServerIntegrationTests {

	@Test
	void startedServerAnswers() {
		try (RedisServer redis = RedisServer.builder().start()) {
			assertThat(redis.call("PING")).isEqualTo("PONG");
			assertThat(redis.isRunning()).isTrue();
			assertThat(redis.uri()).hasToString("redis://127.0.0.1:" + redis.port());
			assertThat(redis.version()).matches("\\d+\\.\\d+\\.\\d+");
			assertThat(redis.describe()).contains(redis.version(), "on 127.0.0.1:" + redis.port());
			assertThat(redis.call("INFO")).asString().containsPattern("process_id:" + redis.pid() + "\\s");
		}
	}

	@Test
	void killedServerWithAppendAlwaysKeepsEveryAnsweredWrite() {
		try (RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start()) {
			try (RespClient client = redis.client()) {
				IntStream.range(0, 1_000).forEach((i) -> client.call("SET", "key:" + i, "value:" + i));
			}
			int port = redis.port();
			redis.kill();
			assertThat(redis.isRunning()).isFalse();
			redis.restart();
			assertThat(redis.port()).isEqualTo(port);
			try (RespClient client = redis.client()) {
				assertThat(IntStream.range(0, 1_000).mapToObj((i) -> client.call("GET", "key:" + i)))
					.containsExactlyElementsOf(
							IntStream.range(0, 1_000).<Object>mapToObj((i) -> "value:" + i).toList());
			}
		}
	}

	@Test
	void killedServerWithAppendEverySecondKeepsEveryAnsweredWrite() {
		try (RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.EVERY_SECOND).start()) {
			redis.call("SET", "key", "value");
			redis.kill();
			redis.start();
			assertThat(redis.call("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void restartWithoutPersistenceBeginsEmpty() {
		try (RedisServer redis = RedisServer.builder().start()) {
			redis.call("SET", "key", "value");
			redis.restart();
			assertThat(redis.call("DBSIZE")).isEqualTo(0L);
		}
	}

	@Test
	void frozenServerIsSilentUntilResumed() {
		try (RedisServer redis = RedisServer.builder().start();
				RespClient client = RespClient.connect(redis.uri(), Duration.ofMillis(300))) {
			redis.freeze();
			assertThat(redis.isRunning()).isTrue();
			assertThat(redis.isFrozen()).isTrue();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("PING"));
			redis.resume();
			assertThat(redis.isFrozen()).isFalse();
			assertThat(redis.call("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void frozenServerCanBeStoppedAndKilled() {
		try (RedisServer redis = RedisServer.builder().start()) {
			redis.freeze();
			redis.stop();
			assertThat(redis.isRunning()).isFalse();
			redis.start();
			redis.freeze();
			redis.kill();
			assertThat(redis.isRunning()).isFalse();
			assertThat(redis.isFrozen()).isFalse();
		}
	}

	@Test
	void frozenServerKilledFromOutsideCanBeRestarted() {
		try (RedisServer redis = RedisServer.builder().start()) {
			redis.freeze();
			ProcessHandle process = ProcessHandle.of(redis.pid()).orElseThrow();
			process.destroyForcibly();
			process.onExit().join();
			redis.restart();
			assertThat(redis.isFrozen()).isFalse();
			assertThat(redis.call("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void serverThatRejectsInfoIsNotLeftRunning(@TempDir Path directory) {
		RedisServer redis = RedisServer.builder()
			.directory(directory)
			.detached()
			.setting("user", "default", "off")
			.build();
		assertThatExceptionOfType(RedisNotAvailableException.class).isThrownBy(redis::start);
		assertThat(redis.isRunning()).isFalse();
	}

	@Test
	void settingsReachTheServer() {
		try (RedisServer redis = RedisServer.builder()
			.setting("maxmemory-policy", "noeviction")
			.setting("client-output-buffer-limit", "pubsub", 1_048_576, 0, 0)
			.start()) {
			assertThat(redis.call("CONFIG", "GET", "client-output-buffer-limit").toString())
				.contains("pubsub 1048576 0 0");
		}
	}

	@Test
	void configurationRewrittenByServerSurvivesRestart() {
		try (RedisServer redis = RedisServer.builder().start()) {
			redis.call("CONFIG", "SET", "maxmemory", "12345678");
			redis.call("CONFIG", "REWRITE");
			redis.restart();
			assertThat(redis.call("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "12345678"));
		}
	}

	@Test
	void rejectedConfigurationFailsWithTheLog() {
		RedisServerBuilder builder = RedisServer.builder().setting("no-such-directive", 1);
		assertThatExceptionOfType(RedisNotAvailableException.class).isThrownBy(builder::start)
			.withMessageContaining("no-such-directive");
	}

	@Test
	void takenPortIsReported() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			RedisServerBuilder builder = RedisServer.builder().port(taken.getLocalPort());
			assertThatExceptionOfType(RedisNotAvailableException.class).isThrownBy(builder::start)
				.withMessageContaining("Failed listening on port " + taken.getLocalPort());
		}
	}

	@Test
	void otherPortIsChosenWhenFreePortIsTakenMeanwhile() throws IOException {
		try (RedisServer redis = RedisServer.builder().build();
				ServerSocket taken = new ServerSocket(redis.port(), 1, InetAddress.getLoopbackAddress())) {
			redis.start();
			assertThat(redis.port()).isNotEqualTo(taken.getLocalPort());
			assertThat(redis.call("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void thePortOfAKilledServerIsReserved() {
		try (RedisServer redis = RedisServer.builder().start()) {
			redis.kill();
			assertThat(Ports.reserve(redis.port())).isFalse();
		}
	}

	@Test
	void temporaryDirectoryIsDeletedOnClose() {
		RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();
		Path directory = redis.directory();
		assertThat(directory).isNotEmptyDirectory();
		redis.close();
		assertThat(directory).doesNotExist();
	}

	@Test
	void givenDirectoryOutlivesTheServer(@TempDir Path directory) {
		RedisServerBuilder builder = RedisServer.builder().directory(directory).appendOnly(AppendOnly.EVERY_SECOND);
		try (RedisServer redis = builder.start()) {
			redis.call("SET", "key", "value");
		}
		try (RedisServer redis = builder.start()) {
			assertThat(redis.call("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void passwordIsPartOfTheUri() {
		try (RedisServer redis = RedisServer.builder().setting("requirepass", "p@ss word/+").start()) {
			assertThat(redis.call("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void closedDetachedServerRunsUntilStopped(@TempDir Path directory) {
		RedisServer redis = RedisServer.builder().directory(directory).detached().start();
		try {
			redis.close();
			assertThat(redis.call("PING")).isEqualTo("PONG");
			redis.freeze();
			redis.resume();
			redis.kill();
			redis.restart();
			assertThat(redis.call("INFO")).asString().containsPattern("process_id:" + redis.pid() + "\\s");
		}
		finally {
			redis.stop();
		}
		assertThat(redis.isRunning()).isFalse();
	}

	@Test
	void detachedServerNeedsDirectory() {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisServer.builder().detached().build())
			.withMessageContaining("directory");
	}

	@Test
	void runningServerIsNotStartedTwice() {
		try (RedisServer redis = RedisServer.builder().start()) {
			assertThatIllegalStateException().isThrownBy(redis::start).withMessageContaining("runs already");
		}
	}

	@Test
	void operationsOnAStoppedServerAreRejected() {
		try (RedisServer redis = RedisServer.builder().build()) {
			assertThatIllegalStateException().isThrownBy(redis::freeze);
			assertThatIllegalStateException().isThrownBy(redis::pid);
			redis.stop();
			redis.kill();
			assertThat(redis.isRunning()).isFalse();
		}
	}

}
