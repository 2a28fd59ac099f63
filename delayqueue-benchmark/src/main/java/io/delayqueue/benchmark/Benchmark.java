package io.delayqueue.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.delayqueue.test.redis.RedisServer;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * The command that runs the benchmark. Its arguments are workloads, then contenders, then
 * {@code --rounds=N} and {@code --scale=F}; or {@code MICRO} to measure the Java time of
 * single steps without Redis; or {@code INSTRUCTIONS} to count the instructions that
 * Redis carries out; or {@code SUMMARY FILE} to print the results of several runs.
 * {@code ALL} stands for all workloads.
 *
 * <p>
 * For each workload:
 * <ol>
 * <li>the benchmark starts a server on a free port, without persistence;</li>
 * <li>in each round every contender (measured implementation) runs once on the empty
 * server, in a different order than in the previous round; the first rounds are warm-ups
 * and do not count;</li>
 * <li>the benchmark prints a table with the medians, minimums, maximums and ratios to the
 * starter, and appends the values with the commit and the machine to {@code
 * target/benchmark.jsonl}.</li>
 * </ol>
 * A workload fails if a message was lost, handled twice or handled early. Then the
 * benchmark writes no results of this workload, and goes on with the next one. The exit
 * status is 1 if a workload failed, or if results cannot be summarized.
 */
public final class Benchmark {

	private static final int ROUNDS = 3;

	private Benchmark() {
	}

	/**
	 * Runs the benchmark.
	 * @param arguments workloads, then contenders; by default all contenders of a
	 * workload
	 * @throws InterruptedException if the benchmark is interrupted
	 * @throws IOException if the report cannot be written
	 */
	public static void main(String[] arguments) throws InterruptedException, IOException {
		if (arguments.length == 1 && arguments[0].equalsIgnoreCase("MICRO")) {
			micro();
			return;
		}
		if (arguments.length == 1 && arguments[0].equalsIgnoreCase("INSTRUCTIONS")) {
			Instructions.print();
			return;
		}
		if (arguments.length == 2 && arguments[0].equalsIgnoreCase("SUMMARY")) {
			summarize(Path.of(arguments[1]));
			return;
		}
		Set<String> names = new LinkedHashSet<>();
		Set<Contender> requested = EnumSet.noneOf(Contender.class);
		int rounds = ROUNDS;
		Scale scale = new Scale(1);
		Set<String> known = Workloads.of(scale).keySet();
		try {
			for (String argument : arguments) {
				if (argument.startsWith("--rounds=")) {
					rounds = Integer.parseInt(argument.substring("--rounds=".length()));
				}
				else if (argument.startsWith("--scale=")) {
					scale = new Scale(Double.parseDouble(argument.substring("--scale=".length())));
				}
				else if (argument.equalsIgnoreCase("ALL")) {
					names.addAll(known);
				}
				else if (known.contains(argument.toUpperCase(Locale.ROOT))) {
					names.add(argument.toUpperCase(Locale.ROOT));
				}
				else if (!requested.addAll(Contender.named(argument))) {
					throw new IllegalArgumentException(argument);
				}
			}
		}
		catch (IllegalArgumentException unknown) {
			names.clear();
		}
		if (names.isEmpty() || rounds < 1) {
			System.err.printf(
					"WORKLOAD... [CONTENDER...] [--rounds=N] [--scale=F], of the workloads ALL or %s and the contenders %s; or MICRO, or INSTRUCTIONS, or SUMMARY FILE%n",
					known, Arrays.toString(Contender.values()));
			System.exit(2);
		}
		Origin origin = Origin.of(scale);
		Map<String, Workload> workloads = Workloads.of(scale);
		int status = 0;
		for (String name : names) {
			try {
				measure(name, Objects.requireNonNull(workloads.get(name)), requested, rounds, origin)
					.write(Path.of("target", "benchmark.jsonl"));
			}
			catch (BenchmarkException failure) {
				System.err.println(failure.getMessage());
				status = 1;
			}
		}
		System.exit(status);
	}

	private static void summarize(Path file) throws IOException {
		try {
			Report.read(file).forEach((report) -> System.out.printf("%s%n%n", report));
		}
		catch (BenchmarkException mixed) {
			System.err.println(mixed.getMessage());
			System.exit(1);
		}
	}

	private static void micro() {
		try {
			new Runner(new OptionsBuilder().include("io\\.delayqueue\\..*Benchmark").build()).run();
		}
		catch (RunnerException failure) {
			throw new BenchmarkException("The single steps cannot be measured: " + failure.getMessage());
		}
	}

	private static Report measure(String name, Workload workload, Set<Contender> requested, int rounds, Origin origin)
			throws InterruptedException {
		Set<Contender> contenders = requested.isEmpty() ? workload.contenders() : requested;
		try (RedisServer server = RedisServer.builder().start()) {
			Report report = new Report(name, Server.describe(server), origin);
			for (int round = 1 - workload.warmUps(); round <= rounds; round++) {
				for (Contender contender : order(contenders, round)) {
					server.call("FLUSHALL");
					server.call("CONFIG", "RESETSTAT");
					System.gc();
					List<Measured> measured = run(workload, contender, server, name);
					System.out.printf("%s round %d %s %s%n", name, round, contender, measured);
					if (round > 0) {
						report.add(contender, measured);
					}
				}
			}
			System.out.println(report);
			return report;
		}
	}

	/**
	 * Returns the order of the contenders in a round: the first contender of the previous
	 * round is the last one in this round.
	 */
	static List<Contender> order(Set<Contender> contenders, int round) {
		List<Contender> order = new ArrayList<>(contenders);
		Collections.rotate(order, -Math.floorMod(round, order.size()));
		return order;
	}

	private static List<Measured> run(Workload workload, Contender contender, RedisServer server, String name)
			throws InterruptedException {
		try {
			return workload.run(contender, Target.of(server));
		}
		catch (BenchmarkException failure) {
			throw new BenchmarkException(name + " " + contender + ": " + failure.getMessage());
		}
	}

}
