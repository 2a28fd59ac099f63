package io.delayqueue.test.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("slow")
class PersistentRedisIntegrationTests {

	@TempDir
	private Path temporary;

	@AfterEach
	void endServers() throws IOException {
		try (var files = Files.walk(this.temporary)) {
			files.filter((file) -> file.endsWith("redis.pid")).toList().forEach(PersistentRedisIntegrationTests::kill);
		}
	}

	@Test
	void startsOneServerAndFindsItAgain() throws IOException {
		Path directory = this.temporary.resolve("a directory/with späces");
		int port = findOrStart(directory);
		assertThat(call(port, "CONFIG", "GET", "dir")).isEqualTo(List.of("dir", directory.toString()));
		assertThat(call(port, "CONFIG", "GET", "appendfsync")).isEqualTo(List.of("appendfsync", "always"));
		assertThat(call(port, "CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
		assertThat(Files.readString(directory.resolve("port"))).isEqualTo(port + "\n");
		assertThat(findOrStart(directory)).isEqualTo(port);
	}

	@Test
	void exactlyOneOfManyConcurrentStartsStartsTheServer() throws Exception {
		ExecutorService starters = Executors.newFixedThreadPool(8);
		try {
			List<Future<Integer>> ports = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				ports.add(starters.submit(() -> findOrStart(this.temporary)));
			}
			Set<Integer> found = new HashSet<>();
			for (Future<Integer> port : ports) {
				found.add(port.get());
			}
			assertThat(found).hasSize(1);
		}
		finally {
			starters.shutdown();
		}
	}

	@Test
	void afterAKillTheServerIsStartedAtItsPortWithItsData() {
		int port = findOrStart(this.temporary);
		call(port, "SET", "key", "value");
		kill(this.temporary.resolve("redis.pid"));
		assertThat(findOrStart(this.temporary)).isEqualTo(port);
		assertThat(call(port, "GET", "key")).isEqualTo("value");
	}

	@Test
	void anotherServerAtThePortIsNotUsed() throws IOException {
		int port = findOrStart(this.temporary);
		call(port, "SET", "key", "value");
		kill(this.temporary.resolve("redis.pid"));
		Await.until(Await.LIMIT, () -> "The killed server still has its port", () -> Ports.isFree(port));
		try (RedisServer stranger = RedisServer.builder().port(port).start()) {
			int own = findOrStart(this.temporary);
			assertThat(own).isNotEqualTo(port);
			assertThat(call(own, "GET", "key")).isEqualTo("value");
			assertThat(stranger.call("DBSIZE")).isEqualTo(0L);
		}
	}

	@Test
	void aServerThatRequiresAPasswordIsNotUsed() throws IOException {
		try (RedisServer stranger = RedisServer.builder().setting("requirepass", "secret").start()) {
			Files.writeString(this.temporary.resolve("port"), Integer.toString(stranger.port()));
			assertThat(findOrStart(this.temporary)).isNotEqualTo(stranger.port());
		}
	}

	@Test
	void aSilentProcessIsNotUsedIfTheDirectoryHasNoServer() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
			Files.writeString(this.temporary.resolve("port"), Integer.toString(silent.getLocalPort()));
			assertThat(findOrStart(this.temporary)).isNotEqualTo(silent.getLocalPort());
		}
	}

	@Test
	void theStartWaitsForAStoppingServerToReuseItsPort() throws Exception {
		ServerSocket ending = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
		int port = ending.getLocalPort();
		Files.writeString(this.temporary.resolve("port"), Integer.toString(port));
		ExecutorService end = Executors.newSingleThreadExecutor();
		try {
			Future<?> ended = end.submit(() -> {
				try (ending) {
					ending.accept().close();
				}
				return null;
			});
			assertThat(findOrStart(this.temporary)).isEqualTo(port);
			ended.get();
		}
		finally {
			end.shutdown();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "no port", "0", "-1", "99999", "99999999999999999999" })
	void aBrokenPortFileIsReplaced(String content) throws IOException {
		Files.writeString(this.temporary.resolve("port"), content);
		int port = findOrStart(this.temporary);
		assertThat(Files.readString(this.temporary.resolve("port"))).isEqualTo(port + "\n");
	}

	@Test
	void noSecondServerIsStartedBesideAFrozenOne() throws Exception {
		int port = findOrStart(this.temporary);
		String pid = Files.readString(this.temporary.resolve("redis.pid")).trim();
		signal("STOP", pid);
		try {
			assertThatExceptionOfType(RedisNotAvailableException.class).isThrownBy(() -> findOrStart(this.temporary))
				.withMessageContainingAll("process " + pid, this.temporary.toString());
		}
		finally {
			signal("CONT", pid);
		}
		assertThat(findOrStart(this.temporary)).isEqualTo(port);
	}

	@Test
	void aLostPortFileDoesNotCauseASecondServer() throws IOException {
		findOrStart(this.temporary);
		Files.delete(this.temporary.resolve("port"));
		assertThatExceptionOfType(RedisNotAvailableException.class).isThrownBy(() -> findOrStart(this.temporary));
	}

	@Test
	void anUnusableDirectoryIsReported() throws IOException {
		Path file = Files.createFile(this.temporary.resolve("file"));
		assertThatExceptionOfType(RedisNotAvailableException.class).isThrownBy(() -> findOrStart(file.resolve("below")))
			.withMessageContaining(file.toString());
	}

	@Test
	void withoutAServerProgramTheMessageNamesTheProperty() {
		System.setProperty(RedisBinary.PROPERTY, this.temporary.resolve("no-such-program").toString());
		try {
			assertThatExceptionOfType(RedisNotAvailableException.class).isThrownBy(() -> findOrStart(this.temporary))
				.withMessageContainingAll("no-such-program", RedisBinary.PROPERTY);
		}
		finally {
			System.clearProperty(RedisBinary.PROPERTY);
		}
	}

	private static int findOrStart(Path directory) {
		return PersistentRedis.findOrStart(directory).getPort();
	}

	private static Object call(int port, String... command) {
		try (RespClient client = RespClient.connect(URI.create("redis://127.0.0.1:" + port))) {
			return client.call(command);
		}
	}

	private static void kill(Path pidFile) {
		try {
			long pid = Long.parseLong(Files.readString(pidFile).trim());
			ProcessHandle.of(pid).ifPresent((process) -> process.destroyForcibly());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void signal(String name, String pid) throws Exception {
		assertThat(new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid).start().waitFor()).isZero();
	}

}
