package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.delayqueue.test.redis.RedisServer;

/**
 * Workload W9: several applications consume one queue with one partition, and the first
 * application schedules messages. At a steady rate, the workload measures the cost of a
 * message for Redis, the lateness, and how evenly the messages are distributed. In a
 * burst, the workload measures how many of the permits of all applications are used.
 */
final class FleetWorkload implements Workload {

	/** The default concurrency of the starter. */
	private static final int CONCURRENCY = 10;

	private static final int HANDLER_MILLIS = 20;

	private static final int SLOW_RATE = 100;

	private static final int FAST_RATE = 1000;

	private static final int LONGEST_FAST_SECONDS = 20;

	private static final int SETTLE_SECONDS = 3;

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private final FleetSize size;

	FleetWorkload(FleetSize size) {
		this.size = size;
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		RedisServer server = target.server();
		List<Measured> measured = new ArrayList<>();
		for (int applications : this.size.applications()) {
			measured.addAll(steady(server, applications, SLOW_RATE, this.size.seconds()));
			measured
				.addAll(steady(server, applications, FAST_RATE, Math.min(LONGEST_FAST_SECONDS, this.size.seconds())));
		}
		measured.addAll(burst(server, this.size.members(), this.size.burst()));
		return measured;
	}

	private static List<Measured> steady(RedisServer server, int applications, int rate, int seconds)
			throws InterruptedException {
		server.call("FLUSHALL");
		int count = rate * seconds;
		Ledger ledger = new Ledger(count);
		Shares shares = new Shares(applications);
		Cost cost;
		try (Peer fleet = start(server, shares, ledger::handle)) {
			TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
			Cost before = Server.cost(server);
			LatenessWorkload.schedule(fleet, count, rate);
			ledger.await(LIMIT);
			while (fleet.waiting() > 0) {
				TimeUnit.MILLISECONDS.sleep(10);
			}
			cost = Server.cost(server).since(before).dividedBy(count);
		}
		ledger.check();
		// The first seconds do not count, because the applications have just started
		int from = count / 5;
		String line = line(applications, String.format(Locale.ROOT, "%,d/s", rate));
		return List.of(new Measured(line + "commands sent", cost.sent()),
				new Measured(line + "commands carried out", cost.carriedOut()),
				new Measured(line + "Redis us", cost.cpuMicros()),
				new Measured(line + "p50 ms", ledger.lateMillis(50, from, count)),
				new Measured(line + "p99 ms", ledger.lateMillis(99, from, count)),
				new Measured(line + "busiest x mean", shares.busiest()));
	}

	private static List<Measured> burst(RedisServer server, int applications, int count) throws InterruptedException {
		server.call("FLUSHALL");
		Ledger ledger = new Ledger(count);
		Shares shares = new Shares(applications);
		double perSecond;
		try (Peer fleet = start(server, shares, (payload) -> {
			work();
			ledger.handle(payload);
		})) {
			TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
			perSecond = Burst.of(fleet, ledger, server, count, Message.SIZE).perSecond();
		}
		double most = applications * CONCURRENCY * 1000.0 / HANDLER_MILLIS;
		String line = line(applications, "burst");
		return List.of(new Measured(line + "/s", perSecond), new Measured(line + "of all permits", perSecond / most),
				new Measured(line + "busiest x mean", shares.busiest()));
	}

	private static Peer start(RedisServer server, Shares shares, Consumer<String> handler) {
		return new StarterPeer(Target.of(server), shares.handled.length(), (application) -> (payload) -> {
			shares.handled.incrementAndGet(application);
			handler.accept(payload);
		}, "delayqueue.defaults.concurrency=" + CONCURRENCY);
	}

	private static void work() {
		try {
			TimeUnit.MILLISECONDS.sleep(HANDLER_MILLIS);
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
		}
	}

	private static String line(int applications, String what) {
		return applications + ((applications == 1) ? " application, " : " applications, ") + what + ", ";
	}

	/** Counts the messages that each application has handled. */
	private static final class Shares {

		private final AtomicIntegerArray handled;

		Shares(int applications) {
			this.handled = new AtomicIntegerArray(applications);
		}

		/**
		 * Returns the number of messages of the busiest application, as a multiple of the
		 * mean. Applications take turns of one second to sweep, so in a run with fewer
		 * seconds than applications some applications have no turn.
		 */
		double busiest() {
			IntSummaryStatistics shares = IntStream.range(0, this.handled.length())
				.map(this.handled::get)
				.summaryStatistics();
			return shares.getMax() / shares.getAverage();
		}

	}

}
