package io.delayqueue.benchmark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/**
 * The origin of results: the measured code, the machine and the size of the workloads.
 *
 * @param commit the commit of the measured code, or {@code unknown}
 * @param machine processor, cores, operating system and JVM
 * @param scale the factor by which the workloads are larger or smaller than normal
 * @param began when the run of the benchmark began
 */
record Origin(String commit, String machine, double scale, Instant began) {

	/**
	 * The system property that names the commit if the benchmark runs outside a clone of
	 * the repository.
	 */
	static final String COMMIT = "benchmark.commit";

	static Origin of(Scale scale) throws InterruptedException {
		String named = System.getProperty(COMMIT);
		return new Origin((named != null) ? named : head(), describeMachine(), scale.factor(),
				Instant.now().truncatedTo(ChronoUnit.SECONDS));
	}

	String describe() {
		return "commit " + this.commit + ", scale " + this.scale + ", " + this.machine;
	}

	private static String head() throws InterruptedException {
		Optional<String> commit = git("rev-parse", "HEAD");
		String changes = git("status", "--porcelain", "--untracked-files=no").orElse("");
		return commit.orElse("unknown") + (changes.isEmpty() ? "" : " with changes");
	}

	private static Optional<String> git(String command, String... options) throws InterruptedException {
		String[] all = new String[options.length + 2];
		all[0] = "git";
		all[1] = command;
		System.arraycopy(options, 0, all, 2, options.length);
		try {
			Process git = new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.DISCARD).start();
			String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			return (git.waitFor() == 0) ? Optional.of(output) : Optional.empty();
		}
		catch (IOException missing) {
			return Optional.empty();
		}
	}

	private static String describeMachine() {
		return String.format(Locale.ROOT, "%s, %d cores, %s %s, Java %s", processor(),
				Runtime.getRuntime().availableProcessors(), System.getProperty("os.name"),
				System.getProperty("os.version"), System.getProperty("java.version"));
	}

	/**
	 * Returns the model of the processor, or its architecture if the operating system is
	 * not Linux.
	 */
	private static String processor() {
		try {
			return Files.readAllLines(Path.of("/proc/cpuinfo"))
				.stream()
				.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.findFirst()
				.orElse(System.getProperty("os.arch"));
		}
		catch (IOException notLinux) {
			return System.getProperty("os.arch");
		}
	}

}
