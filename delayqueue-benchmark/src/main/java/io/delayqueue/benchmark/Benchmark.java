package io.delayqueue.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
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
 * The command: {@code WORKLOAD... [PEER...] [--rounds=N]}, or {@code MICRO} for the costs
 * of single steps without Redis.
 *
 * <p>
 * For each workload:
 * <ol>
 * <li>the benchmark starts a server on a free port, without persistence;</li>
 * <li>in each round every contender runs once on the empty server, in another order than
 * in the round before; the first rounds are warm-ups and do not count;</li>
 * <li>it prints a table with the medians, minimums, maximums and ratios to the starter,
 * and appends the values to {@code target/benchmark.jsonl}.</li>
 * </ol>
 * The exit status is 1 if a message was lost, handled twice or handled early.
 */
public final class Benchmark {

	private static final int ROUNDS = 3;

	private static final Map<String, Workload> WORKLOADS = new LinkedHashMap<>();

	static {
		WORKLOADS.put("W1", new ScheduleWorkload());
		WORKLOADS.put("W2", new BurstWorkload(20_000, 200_000));
		WORKLOADS.put("W3", new LatenessWorkload());
		WORKLOADS.put("W4", new WaitingWorkload());
		WORKLOADS.put("W5", new IdleWorkload());
		WORKLOADS.put("W6", new CpuWorkload());
		WORKLOADS.put("W7", new NeighbourWorkload());
		WORKLOADS.put("W8", new GamesWorkload());
		WORKLOADS.put("W9", new FleetWorkload(FleetSize.configured()));
		WORKLOADS.put("W10", new IdleFleetWorkload(FleetSize.configured()));
	}

	private Benchmark() {
	}

	/**
	 * Runs the benchmark.
	 * @param arguments workloads, then contenders; by default all contenders of the
	 * workload
	 * @throws InterruptedException if it is interrupted
	 * @throws IOException if the report cannot be written
	 */
	public static void main(String[] arguments) throws InterruptedException, IOException {
		if (arguments.length == 1 && arguments[0].equalsIgnoreCase("MICRO")) {
			micro();
			return;
		}
		List<String> workloads = new ArrayList<>();
		Set<Contender> requested = EnumSet.noneOf(Contender.class);
		int rounds = ROUNDS;
		try {
			for (String argument : arguments) {
				if (argument.startsWith("--rounds=")) {
					rounds = Integer.parseInt(argument.substring("--rounds=".length()));
				}
				else if (WORKLOADS.containsKey(argument.toUpperCase(Locale.ROOT))) {
					workloads.add(argument.toUpperCase(Locale.ROOT));
				}
				else if (!requested.addAll(Contender.named(argument))) {
					throw new IllegalArgumentException(argument);
				}
			}
		}
		catch (IllegalArgumentException unknown) {
			workloads.clear();
		}
		if (workloads.isEmpty() || rounds < 1) {
			System.err.printf("WORKLOAD... [PEER...] [--rounds=N], of the workloads %s and the peers %s; or MICRO%n",
					WORKLOADS.keySet(), Arrays.toString(Contender.values()));
			System.exit(2);
		}
		try {
			for (String workload : workloads) {
				measure(workload, requested, rounds).write(Path.of("target", "benchmark.jsonl"));
			}
		}
		catch (BenchmarkException failure) {
			System.err.println(failure.getMessage());
			System.exit(1);
		}
		System.exit(0);
	}

	private static void micro() {
		try {
			new Runner(new OptionsBuilder().include("io\\.delayqueue\\..*Benchmark").build()).run();
		}
		catch (RunnerException failure) {
			throw new BenchmarkException("The single steps cannot be measured: " + failure.getMessage());
		}
	}

	private static Report measure(String name, Set<Contender> requested, int rounds) throws InterruptedException {
		Workload workload = Objects.requireNonNull(WORKLOADS.get(name));
		Set<Contender> contenders = requested.isEmpty() ? workload.contenders() : requested;
		try (RedisServer server = RedisServer.builder().start()) {
			Report report = new Report(name, Server.describe(server));
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

	/** The order of a round: the contender that began the last one is now the last. */
	static List<Contender> order(Set<Contender> contenders, int round) {
		List<Contender> order = new ArrayList<>(contenders);
		Collections.rotate(order, -Math.floorMod(round, order.size()));
		return order;
	}

	private static List<Measured> run(Workload workload, Contender contender, RedisServer server, String name)
			throws InterruptedException {
		try {
			return workload.run(contender, server);
		}
		catch (BenchmarkException failure) {
			throw new BenchmarkException(name + " " + contender + ": " + failure.getMessage());
		}
	}

}
