package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.test.redis.RedisServer;

/**
 * Many messages that are due at one instant.
 *
 * @param perSecond handled, from that instant to the last one
 * @param wholeCpuMicros of Redis for a message, from its scheduling on
 * @param drainCpuMicros of Redis for a message, from that instant on
 */
record Burst(double perSecond, double wholeCpuMicros, double drainCpuMicros) {

	private static final Duration LIMIT = Duration.ofMinutes(2);

	static Burst of(Contender contender, RedisServer server, int count) throws InterruptedException {
		Ledger ledger = new Ledger(count);
		try (Peer peer = contender.start(server, ledger::handle)) {
			return of(peer, ledger, server, count);
		}
	}

	/**
	 * Runs.
	 * @param peer who; may have others waiting
	 * @param ledger what its listener tells, for as many messages
	 * @param server where
	 * @param count how many
	 */
	static Burst of(Peer peer, Ledger ledger, RedisServer server, int count) throws InterruptedException {
		long others = peer.waiting();
		double before = Server.cpuMicros(server);
		long due = System.currentTimeMillis() + 2000 + count / 15;
		Messages.scheduleAll(peer, 0, count, due);
		double scheduled = Server.cpuMicros(server);
		if (System.currentTimeMillis() >= due) {
			throw new BenchmarkException("the messages were due before all of them were scheduled");
		}
		ledger.await(LIMIT);
		while (peer.waiting() > others) {
			TimeUnit.MILLISECONDS.sleep(1);
		}
		double after = Server.cpuMicros(server);
		ledger.check();
		return new Burst(count * 1e6 / (ledger.lastMicros() - due * 1000), (after - before) / count,
				(after - scheduled) / count);
	}

}
