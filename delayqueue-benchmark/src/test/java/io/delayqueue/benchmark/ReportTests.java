package io.delayqueue.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class ReportTests {

	private final Report report = new Report("W0", "a server", new Origin("abc", "a machine", 0.5, Instant.EPOCH));

	@Test
	void theTableHasMediansAndRatiosToTheStarter() {
		add(Contender.STARTER, 30, 10, 20);
		add(Contender.RAW, 40, 50, 30);
		add(Contender.RAW_PIPELINED, 80);
		assertThat(this.report.toString().lines()).containsExactly("a server", "commit abc, scale 0.5, a machine", "",
				"| W0 | starter | raw | raw-pipelined |", "|---|---|---|---|",
				"| line | 20.00 (10.00 to 30.00) | 40.00 (30.00 to 50.00), starter x 0.67 (0.20 to 0.75) | 80.00 (80.00 to 80.00), starter x 0.38 (0.38 to 0.38) |");
	}

	@Test
	void theTableHasTheBestOfSeveralContenders() {
		for (String line : List.of("drain /s", "p99 ms")) {
			this.report.add(Contender.REDISSON_8, List.of(new Measured(line, 1)));
			this.report.add(Contender.REDISSON_32, List.of(new Measured(line, 3)));
			this.report.add(Contender.REDISSON_100, List.of(new Measured(line, 2)));
		}
		assertThat(this.report.toString()).contains("| drain /s | 3.00 (3.00 to 3.00) by redisson-32 |",
				"| p99 ms | 1.00 (1.00 to 1.00) by redisson-8 |");
	}

	@Test
	void eachValueIsAppendedToTheFileAsALineOfJson(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("benchmark.jsonl");
		add(Contender.STARTER, 1, 2);
		this.report.write(file);
		this.report.write(file);
		String line = "{\"workload\":\"W0\",\"line\":\"line\",\"contender\":\"starter\",\"median\":1.5,"
				+ "\"rounds\":[1.0,2.0],\"server\":\"a server\",\"commit\":\"abc\",\"machine\":\"a machine\","
				+ "\"scale\":0.5,\"began\":\"1970-01-01T00:00:00Z\"}";
		assertThat(Files.readAllLines(file)).containsExactly(line, line);
	}

	@Test
	void runsOfAFileAreSummarized(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("benchmark.jsonl");
		add(Contender.STARTER, 1, 2, 6);
		add(Contender.RAW, 4);
		this.report.write(file);
		this.report.write(file);
		Report second = new Report("W0", "a server", new Origin("abc", "a machine", 0.5, Instant.EPOCH));
		second.add(Contender.STARTER, List.of(new Measured("line", 3)));
		second.add(Contender.RAW, List.of(new Measured("line", 3)));
		second.write(file);
		assertThat(Report.read(file)).singleElement()
			.asString()
			.contains("commit abc, scale 0.5, a machine",
					"| line | 2.00 (2.00 to 3.00) | 4.00 (3.00 to 4.00), starter x 0.50 (0.50 to 1.00) |");
	}

	@Test
	void theCommandPrintsASummary(@TempDir Path directory, CapturedOutput output)
			throws IOException, InterruptedException {
		Path file = directory.resolve("benchmark.jsonl");
		add(Contender.STARTER, 1);
		this.report.write(file);
		Benchmark.main(new String[] { "summary", file.toString() });
		assertThat(output).contains("| line | 1.00 (1.00 to 1.00) |");
	}

	@Test
	void aMissingFileIsNotSummarized() {
		assertThatExceptionOfType(BenchmarkException.class).isThrownBy(() -> Report.read(Path.of("absent.jsonl")))
			.withMessage("No file " + Path.of("absent.jsonl").toAbsolutePath());
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			another server, abc, a machine, 0.5
			a server, def, a machine, 0.5
			a server, abc, another machine, 0.5
			a server, abc, a machine, 1.0
			""")
	void differentRunsAreNotSummarized(String server, String commit, String machine, double scale,
			@TempDir Path directory) throws IOException {
		assertNotSummarized(directory, new Report("W0", server, new Origin(commit, machine, scale, Instant.EPOCH)),
				Contender.STARTER,
				"W0 was measured with a server, commit abc, scale 0.5, a machine, and with %s, commit %s, scale %s, %s"
					.formatted(server, commit, scale, machine));
	}

	@Test
	void runsWithDifferentContendersAreNotSummarized(@TempDir Path directory) throws IOException {
		assertNotSummarized(directory,
				new Report("W0", "a server", new Origin("abc", "a machine", 0.5, Instant.EPOCH.plusSeconds(1))),
				Contender.RAW, "W0, line: {starter=[1970-01-01T00:00:00Z], raw=[1970-01-01T00:00:01Z]}");
	}

	@Test
	void unknownContendersAreNotSummarized(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("benchmark.jsonl");
		add(Contender.STARTER, 1);
		this.report.write(file);
		Files.writeString(file, Files.readString(file).replace("starter", "another"));
		assertThatExceptionOfType(BenchmarkException.class).isThrownBy(() -> Report.read(file))
			.withMessageContaining("Unknown contender")
			.withMessageContaining("another");
	}

	private void assertNotSummarized(Path directory, Report second, Contender inSecondRun, String problem)
			throws IOException {
		Path file = directory.resolve("benchmark.jsonl");
		add(Contender.STARTER, 1);
		this.report.write(file);
		second.add(inSecondRun, List.of(new Measured("line", 2)));
		second.write(file);
		assertThatExceptionOfType(BenchmarkException.class).isThrownBy(() -> Report.read(file))
			.withMessageContaining(problem);
	}

	private void add(Contender contender, double... values) {
		for (double value : values) {
			this.report.add(contender, List.of(new Measured("line", value)));
		}
	}

}
