package io.delayqueue.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
 * The command: {@code WORKLOAD... [PEER...] [--rounds=N]}, or {@code MICRO} for what
 * single steps cost this side of Redis.
 *
 * <p>
 * For each workload:
 * <ol>
 * <li>a server of its own is started on a free port, without persistence;</li>
 * <li>each round, every contender has its turn on the empty server; the first rounds warm
 * up and do not count;</li>
 * <li>the table has the medians, what lies between, and the ratios to the starter; the
 * same goes to {@code target/benchmark.jsonl}.</li>
 * </ol>
 * Ends with 1 if a message was lost, handled twice or handled early.
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
	}

	private Benchmark() {
	}

	/**
	 * Measures.
	 * @param arguments workloads, then who takes part; without them everybody that the
	 * workload is made for
	 * @throws InterruptedException if it is interrupted
	 * @throws IOException if the report cannot be written
	 */
	public static void main(String[] arguments) throws InterruptedException, IOException {
		if (arguments.length == 1 && arguments[0].equalsIgnoreCase("MICRO")) {
			micro();
			return;
		}
		List<String> workloads = new ArrayList<>();
		Set<Contender> asked = EnumSet.noneOf(Contender.class);
		int rounds = ROUNDS;
		try {
			for (String argument : arguments) {
				if (argument.startsWith("--rounds=")) {
					rounds = Integer.parseInt(argument.substring("--rounds=".length()));
				}
				else if (WORKLOADS.containsKey(argument.toUpperCase(Locale.ROOT))) {
					workloads.add(argument.toUpperCase(Locale.ROOT));
				}
				else {
					asked.add(Contender.valueOf(argument.toUpperCase(Locale.ROOT)));
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
				measure(workload, asked, rounds).write(Path.of("target", "benchmark.jsonl"));
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
			throw new BenchmarkException("The steps cannot be measured: " + failure.getMessage());
		}
	}

	private static Report measure(String name, Set<Contender> asked, int rounds) throws InterruptedException {
		Workload workload = Objects.requireNonNull(WORKLOADS.get(name));
		Set<Contender> contenders = asked.isEmpty() ? workload.contenders() : asked;
		try (RedisServer server = RedisServer.builder().start()) {
			Report report = new Report(name, Server.describe(server));
			for (int round = 1 - workload.warmUps(); round <= rounds; round++) {
				for (Contender contender : contenders) {
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
