package io.delayqueue.test.redis;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RedisBinaryTests {

	@TempDir
	private Path directory;

	@Test
	void namedBinaryIsPreferred() throws IOException {
		Path named = program("named", "Redis server v=7.4.1 sha=0:0 malloc=libc bits=64 build=0");
		program("redis-server", "Redis server v=7.2.0 sha=0:0");
		RedisBinary binary = find(Map.of(RedisBinary.PROPERTY, named.toString()), path());
		assertThat(binary.path()).isEqualTo(named);
		assertThat(binary.describe()).isEqualTo("redis-server 7.4.1 (" + RedisBinary.PROPERTY + ")");
	}

	@Test
	void environmentVariableNamesBinaryToo() throws IOException {
		Path named = program("valkey", "Valkey server v=8.1.0 sha=0:0");
		RedisBinary binary = find(Map.of(), Map.of(RedisBinary.ENVIRONMENT, named.toString()));
		assertThat(binary.describe()).startsWith("valkey-server 8.1.0 ");
	}

	@Test
	void installedBinaryIsTakenFromPath() throws IOException {
		Path installed = program("redis-server", "Redis server v=7.2.0 sha=0:0");
		assertThat(find(Map.of(), path()).path()).isEqualTo(installed);
	}

	@Test
	void bundledBinaryIsUsedWhenInstalledOneIsTooOld() throws IOException {
		program("redis-server", "Redis server v=6.2.11 sha=0:0");
		assertThat(find(Map.of(), path()).describe()).isEqualTo("redis-server 7.0.15 (bundled)");
	}

	@Test
	void missingBinaryIsReportedWithTheProperty() {
		String missing = this.directory.resolve("missing").toString();
		assertThatExceptionOfType(RedisNotAvailableException.class)
			.isThrownBy(() -> find(Map.of(RedisBinary.PROPERTY, missing), Map.of()))
			.withMessageContaining(missing)
			.withMessageContaining(RedisBinary.PROPERTY);
	}

	@Test
	void otherProgramIsReportedWithItsOutput() throws IOException {
		Path other = program("other", "busybox 1.36");
		assertThatExceptionOfType(RedisNotAvailableException.class)
			.isThrownBy(() -> find(Map.of(RedisBinary.PROPERTY, other.toString()), Map.of()))
			.withMessageContaining("busybox 1.36");
	}

	@Test
	void unsupportedPlatformIsReportedWithTheProperty() {
		BundledRedis bundled = new BundledRedis(BundledRedis.platform("SunOS", "sparcv9"), this.directory);
		assertThatExceptionOfType(RedisNotAvailableException.class).isThrownBy(bundled::extract)
			.withMessageContaining("sunos-sparcv9")
			.withMessageContaining(RedisBinary.PROPERTY);
	}

	@Test
	void platformsHaveTheNamesOfTheResources() {
		assertThat(BundledRedis.platform("Linux", "amd64")).isEqualTo("linux-amd64");
		assertThat(BundledRedis.platform("Linux", "aarch64")).isEqualTo("linux-arm64");
		assertThat(BundledRedis.platform("Mac OS X", "x86_64")).isEqualTo("darwin-amd64");
	}

	@Test
	void concurrentExtractionsYieldOneCompleteBinary() throws Exception {
		BundledRedis bundled = new BundledRedis(BundledRedis.forThisPlatform().platform(), this.directory);
		ExecutorService executor = Executors.newFixedThreadPool(8);
		try {
			Callable<Path> extract = bundled::extract;
			for (Future<Path> path : executor.invokeAll(Stream.generate(() -> extract).limit(16).toList())) {
				assertThat(path.get()).isExecutable();
			}
		}
		finally {
			executor.shutdown();
		}
		try (Stream<Path> files = Files.list(this.directory)) {
			assertThat(files).hasSize(1);
		}
	}

	@Test
	void incompleteCopyIsReplaced() throws IOException {
		BundledRedis bundled = new BundledRedis(BundledRedis.forThisPlatform().platform(), this.directory);
		Path path = bundled.extract();
		long size = Files.size(path);
		Files.write(path, List.of("broken"));
		assertThat(Files.size(bundled.extract())).isEqualTo(size);
	}

	@Test
	void temporaryDirectoryIsUsedWhenCacheIsReadOnly() throws IOException {
		Path file = Files.createFile(this.directory.resolve("file"));
		BundledRedis bundled = new BundledRedis(BundledRedis.forThisPlatform().platform(), file.resolve("cache"));
		Path path = bundled.extract();
		try {
			assertThat(path).isExecutable();
		}
		finally {
			Directories.delete(path.getParent());
		}
	}

	private static RedisBinary find(Map<String, String> properties, Map<String, String> environment) {
		return RedisBinary.find(properties::get, environment::get, BundledRedis.forThisPlatform());
	}

	private Map<String, String> path() {
		return Map.of("PATH", this.directory.resolve("none") + File.pathSeparator + this.directory);
	}

	private Path program(String name, String answer) throws IOException {
		Path program = Files.writeString(this.directory.resolve(name), "#!/bin/sh\necho '" + answer + "'\n");
		assertThat(program.toFile().setExecutable(true)).isTrue();
		return program;
	}

}
