package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.test.redis.RedisServer;

/**
 * Results of a burst: many messages with the same due time.
 *
 * @param perSecond handled messages, from the due time to the last one
 * @param wholeCpuMicros CPU time of Redis for a message, including its scheduling, us
 * @param drainCpuMicros CPU time of Redis for a message, from the due time on, us
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
	 * Runs a burst.
	 * @param peer the peer, which may have further waiting messages
	 * @param ledger the ledger of its listener, for as many messages
	 * @param server the server
	 * @param count the number of messages
	 */
	static Burst of(Peer peer, Ledger ledger, RedisServer server, int count) throws InterruptedException {
		long further = peer.waiting();
		double before = Server.cpuMicros(server);
		long due = System.currentTimeMillis() + 2000 + count / 15;
		Messages.scheduleAll(peer, 0, count, due);
		double scheduled = Server.cpuMicros(server);
		if (System.currentTimeMillis() >= due) {
			throw new BenchmarkException("the messages were due before all of them were scheduled");
		}
		ledger.await(LIMIT);
		while (peer.waiting() > further) {
			TimeUnit.MILLISECONDS.sleep(1);
		}
		double after = Server.cpuMicros(server);
		ledger.check();
		return new Burst(count * 1e6 / (ledger.lastMicros() - due * 1000), (after - before) / count,
				(after - scheduled) / count);
	}

}
