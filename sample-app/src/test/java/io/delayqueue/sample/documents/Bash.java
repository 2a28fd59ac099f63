package io.delayqueue.sample.documents;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bash with a home directory of its own. It stops at the first command that fails, and so
 * fails a call that is answered with an error, and a {@code grep} that finds nothing.
 * <p>
 * Where there is no {@code redis-cli} something small takes its place. {@code mvn} only
 * says what it was asked for, and {@code jps} sees one process alone.
 */
final class Bash {

	/** What curl ends with when the answer is an error. */
	static final int REFUSED = 22;

	private static final int LIMIT_SECONDS = 120;

	private static final String CURL_SETTINGS = """
			silent
			show-error
			fail-with-body
			noproxy = "*"
			max-time = 60
			""";

	private final Path home;

	private final Path programs;

	Bash(Path home) throws IOException {
		for (String program : new String[] { "bash", "curl" }) {
			assertThat(isInstalled(program))
				.as("What documents say is run by bash and curl. There is no %s on the PATH: install it", program)
				.isTrue();
		}
		this.home = home;
		this.programs = Files.createDirectories(home.resolve("bin"));
		Files.writeString(home.resolve(".curlrc"), CURL_SETTINGS);
		install("mvn");
		install("jps");
		if (!isInstalled("redis-cli")) {
			install("redis-cli");
		}
	}

	private void install(String program) throws IOException {
		Path file = this.programs.resolve(program);
		try (InputStream content = Bash.class.getResourceAsStream(program)) {
			Files.copy(Objects.requireNonNull(content, program), file);
		}
		assertThat(file.toFile().setExecutable(true)).isTrue();
	}

	private static boolean isInstalled(String program) {
		return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
			.anyMatch((directory) -> Files.isExecutable(Path.of(directory, program)));
	}

	/**
	 * Runs commands and waits for their end.
	 * @param text the commands
	 * @param seenByJps the id of a process
	 */
	Outcome run(String text, long seenByJps) throws IOException, InterruptedException {
		Path printed = Files.createTempFile(this.home, "printed", ".txt");
		ProcessBuilder bash = new ProcessBuilder("bash", "-eo", "pipefail", "-c", text).directory(this.home.toFile())
			.redirectInput(Redirect.from(new File("/dev/null")))
			.redirectOutput(printed.toFile())
			.redirectErrorStream(true);
		adapt(bash.environment());
		bash.environment().put("SEEN_BY_JPS", Long.toString(seenByJps));
		Process process = bash.start();
		try {
			assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("%sends", text).isTrue();
		}
		finally {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly();
		}
		return new Outcome(process.exitValue(), Files.readString(printed));
	}

	private void adapt(Map<String, String> environment) {
		Path jdk = Path.of(System.getProperty("java.home"), "bin");
		environment.put("HOME", this.home.toString());
		environment.put("CURL_HOME", this.home.toString());
		environment.put("LC_ALL", "C");
		environment.put("PATH",
				this.programs + File.pathSeparator + jdk + File.pathSeparator + environment.get("PATH"));
		environment.put("JPS", jdk.resolve("jps").toString());
		environment.remove("BASH_ENV");
	}

	/**
	 * How commands have ended.
	 *
	 * @param status the exit status of the last one that was run
	 * @param printed what all of them have printed
	 */
	record Outcome(int status, String printed) {

	}

}
