package io.delayqueue.test.redis;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.TestExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;

class RedisReportTests {

	@TempDir
	private Path directory;

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final RedisReport report = new RedisReport(new PrintStream(this.out, true, StandardCharsets.UTF_8));

	@Test
	void serversArePrintedAndWritten() {
		Path file = this.directory.resolve("reports").resolve("redis.txt");
		this.report.report(List.of("redis-server 7.0.15 (bundled)", "another"), file.toString());
		assertThat(this.out.toString(StandardCharsets.UTF_8).strip())
			.isEqualTo("Tests ran against: redis-server 7.0.15 (bundled), another");
		assertThat(file).content().contains("redis-server 7.0.15 (bundled), another");
	}

	@Test
	void lineIsOnlyPrintedWithoutFile() {
		this.report.report(List.of("one"), null);
		assertThat(this.out.toString(StandardCharsets.UTF_8)).contains("one");
	}

	@Test
	void nothingIsPrintedWhenNoServerWasUsed() {
		this.report.report(List.of(), this.directory.resolve("redis.txt").toString());
		assertThat(this.out.size()).isZero();
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void platformFindsTheListener() {
		assertThat(ServiceLoader.load(TestExecutionListener.class)).hasAtLeastOneElementOfType(RedisReport.class);
	}

}
