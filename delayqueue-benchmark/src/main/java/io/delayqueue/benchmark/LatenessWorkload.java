package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Workload W3: the lateness of messages at a steady rate, and their cost. Each message is
 * scheduled a second before its due time.
 */
final class LatenessWorkload implements Workload {

	private static final int AHEAD_MILLIS = 1000;

	private final int seconds;

	private final int[] rates;

	/**
	 * Creates the workload.
	 * @param seconds how long messages are scheduled at each rate
	 * @param rates the rates, messages a second
	 */
	LatenessWorkload(int seconds, int... rates) {
		this.seconds = seconds;
		this.rates = rates.clone();
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.complementOf(EnumSet.of(Contender.SCRIPTS));
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		for (int rate : this.rates) {
			target.server().call("FLUSHALL");
			int count = rate * this.seconds;
			Ledger ledger = new Ledger(count);
			double cpuMicros;
			try (Peer peer = target.start(contender, ledger::handle)) {
				cpuMicros = -Server.cpuMicros(target.server());
				schedule(peer, count, rate);
				ledger.await(Duration.ofMinutes(2));
				cpuMicros += Server.cpuMicros(target.server());
			}
			ledger.check();
			// The first seconds do not count, because the JVM compiles
			int from = count / 5;
			String line = String.format(Locale.ROOT, "%,d/s, ", rate);
			measured.add(new Measured(line + "p50 ms", ledger.lateMillis(50, from, count)));
			measured.add(new Measured(line + "p99 ms", ledger.lateMillis(99, from, count)));
			measured.add(new Measured(line + "Redis us", cpuMicros / count));
		}
		return measured;
	}

	/**
	 * Schedules messages at a steady rate, about every half millisecond as many as the
	 * rate requires.
	 */
	static void schedule(Peer peer, int count, int rate) throws InterruptedException {
		long began = System.nanoTime();
		int number = 0;
		while (number < count) {
			long passed = System.nanoTime() - began;
			int wanted = (int) Math.min(count, passed * rate / 1_000_000_000L);
			for (; number < wanted; number++) {
				peer.schedule(new Message(number, System.currentTimeMillis() + AHEAD_MILLIS));
			}
			TimeUnit.MICROSECONDS.sleep(500);
		}
	}

}
