package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.test.redis.RedisServer;

/**
 * W1: the rate of scheduling.
 */
final class ScheduleWorkload implements Workload {

	private static final int BY_MANY = 80_000;

	private static final int BY_ONE = 30_000;

	private static final int BULK = 200_000;

	/** Redisson only with the fewest consumers: none of them has work here. */
	@Override
	public Set<Contender> contenders() {
		return EnumSet.complementOf(EnumSet.of(Contender.REDISSON_32, Contender.REDISSON_100));
	}

	@Override
	public int warmUps() {
		return 2;
	}

	@Override
	public List<Measured> run(Contender contender, RedisServer server) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		long due = System.currentTimeMillis() + Messages.HOUR_MILLIS;
		try (Peer peer = contender.start(server, (payload) -> {
		})) {
			measured.add(new Measured("8 threads /s", Messages.scheduleEach(peer, BY_MANY, 8, due)));
			Messages.check(peer, BY_MANY);
		}
		server.call("FLUSHALL");
		try (Peer peer = contender.start(server, (payload) -> {
		})) {
			measured.add(new Measured("1 thread /s", Messages.scheduleEach(peer, BY_ONE, 1, due)));
			Messages.check(peer, BY_ONE);
		}
		server.call("FLUSHALL");
		try (Peer peer = contender.start(server, (payload) -> {
		})) {
			measured.add(new Measured("bulk /s", Messages.scheduleAll(peer, 0, BULK, due)));
			Messages.check(peer, BULK);
		}
		return measured;
	}

}
