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
 * Bash with its own home directory. It stops at the first command that fails, which
 * includes an HTTP call with an error response and a {@code grep} without a match.
 * <p>
 * A script replaces {@code redis-cli} where that is not installed. {@code mvn} only
 * prints its arguments, and {@code jps} lists a single process.
 */
final class Bash {

	/** The exit status of curl after an error response. */
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
				.as("The tests of the documents need bash and curl. %s is not on the PATH: install it", program)
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
	 * @param seenByJps the id of the process that {@code jps} lists
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
	 * The result of commands.
	 *
	 * @param status the exit status of the last executed command
	 * @param printed the output of all commands
	 */
	record Outcome(int status, String printed) {

	}

}
