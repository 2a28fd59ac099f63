package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.test.redis.RedisServer;

/**
 * The results of a burst, which consists of many messages with the same due time.
 *
 * @param perSecond the number of messages handled per second, from the due time to the
 * last message
 * @param wholeCpuMicros the CPU time of Redis for a message, including its scheduling,
 * us; without the time between the last scheduling and the due time, in which some
 * clients poll Redis
 * @param drainCpuMicros the CPU time of Redis for a message from the due time on, us
 */
record Burst(double perSecond, double wholeCpuMicros, double drainCpuMicros) {

	private static final Duration LIMIT = Duration.ofMinutes(2);

	static Burst of(Contender contender, Target target, int count) throws InterruptedException {
		Ledger ledger = new Ledger(count);
		try (Peer peer = target.start(contender, ledger::handle)) {
			return of(peer, ledger, target.server(), count, target.payload());
		}
	}

	/**
	 * Runs a burst and returns its results.
	 * @param peer the implementation to measure, which may have further waiting messages
	 * @param ledger records the messages that the listener handles; its size is {@code
	 * count}
	 * @param server the Redis server of the peer
	 * @param count the number of messages
	 * @param payload the size of each payload, bytes
	 */
	static Burst of(Peer peer, Ledger ledger, RedisServer server, int count, int payload) throws InterruptedException {
		long further = peer.waiting();
		double before = Server.cpuMicros(server);
		long due = schedule(peer, count, payload);
		double scheduled = Server.cpuMicros(server);
		TimeUnit.MILLISECONDS.sleep(Math.max(0, due - System.currentTimeMillis()));
		double waited = Server.cpuMicros(server);
		ledger.await(LIMIT);
		while (peer.waiting() > further) {
			TimeUnit.MILLISECONDS.sleep(1);
		}
		double drain = Server.cpuMicros(server) - waited;
		ledger.check();
		return new Burst(count * 1e6 / (ledger.lastMicros() - due * 1000), (scheduled - before + drain) / count,
				drain / count);
	}

	/**
	 * Returns the number of messages handled per second in a burst that may be too large
	 * for a contender. Only messages that were handled within a time limit count.
	 */
	static double perSecondWithin(Duration limit, Contender contender, Target target, int count)
			throws InterruptedException {
		Ledger ledger = new Ledger(count);
		try (Peer peer = target.start(contender, ledger::handle)) {
			long due = schedule(peer, count, target.payload());
			long end = due + limit.toMillis();
			boolean complete = ledger.awaitAtMost(Duration.ofMillis(end - System.currentTimeMillis()));
			long micros = (complete ? ledger.lastMicros() : end * 1000) - due * 1000;
			double perSecond = ledger.handled() * 1e6 / micros;
			ledger.checkHandled();
			return perSecond;
		}
	}

	/**
	 * Schedules messages for one instant. This instant leaves enough time for a contender
	 * that stores 15 messages, and 30,000 bytes of payloads, a ms.
	 * @return the instant, ms since 1970
	 */
	private static long schedule(Peer peer, int count, int payload) {
		long due = System.currentTimeMillis() + 2000 + count / 15 + (long) count * payload / 30_000;
		Messages.scheduleAll(peer, 0, count, due);
		if (System.currentTimeMillis() >= due) {
			throw new BenchmarkException("the messages were due before all of them were scheduled");
		}
		return due;
	}

}
