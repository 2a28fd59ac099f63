package io.delayqueue.benchmark;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.delayqueue.test.redis.ChildProcess;

/**
 * Workload W14: the start of an application with one listener in a JVM of its own,
 * compared with an application whose class path does not contain the starter. The
 * workload measures the time to the first delivery, the memory and the threads.
 */
final class StartWorkload implements Workload {

	private static final Pattern STARTER = Pattern.compile("delayqueue-(starter|autoconfigure|core)\\b");

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		measured.addAll(start("without, ", StartedApplication.class, classPath(false)));
		measured.addAll(start("with, ", StartedApplication.WithStarter.class, classPath(true), target.all()));
		return measured;
	}

	private static String classPath(boolean withStarter) {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> withStarter || !STARTER.matcher(entry).find())
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static List<Measured> start(String line, Class<?> main, String classPath, String... arguments)
			throws InterruptedException {
		try {
			Process application = new ProcessBuilder(command(main, classPath, arguments)).redirectErrorStream(true)
				.start();
			String output = new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (!application.waitFor(1, TimeUnit.MINUTES) || application.exitValue() != 0) {
				throw new BenchmarkException("the application failed: " + output);
			}
			return output.lines()
				.filter((each) -> each.startsWith(StartedApplication.VALUE))
				.map((each) -> each.substring(StartedApplication.VALUE.length()).split("="))
				.map((each) -> new Measured(line + each[0], Double.parseDouble(each[1])))
				.toList();
		}
		catch (IOException ex) {
			throw new BenchmarkException("the application cannot be started: " + ex);
		}
	}

	/**
	 * Starts an application with the starter in a JVM of its own.
	 * @param main the main class
	 * @param output the file to which its output is appended
	 * @param arguments the arguments
	 */
	static ChildProcess launch(Class<?> main, Path output, String... arguments) {
		return ChildProcess.start(command(main, classPath(true), arguments), output);
	}

	private static List<String> command(Class<?> main, String classPath, String... arguments) {
		List<String> command = new ArrayList<>(List
			.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classPath, main.getName()));
		command.addAll(List.of(arguments));
		return command;
	}

}
