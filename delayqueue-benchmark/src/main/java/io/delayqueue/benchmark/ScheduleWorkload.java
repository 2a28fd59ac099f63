package io.delayqueue.benchmark;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Workload W1: the number of messages that are scheduled per second.
 */
final class ScheduleWorkload implements Workload {

	private final int byMany;

	private final int byOne;

	private final int bulk;

	/**
	 * Creates the workload.
	 * @param byMany the number of messages that 8 threads schedule one by one
	 * @param byOne the number of messages that one thread schedules one by one
	 * @param bulk the number of messages that are scheduled in bulk
	 */
	ScheduleWorkload(int byMany, int byOne, int bulk) {
		this.byMany = byMany;
		this.byOne = byOne;
		this.bulk = bulk;
	}

	/**
	 * Of the variants of Redisson only that with the fewest consumers runs, because no
	 * message is delivered in this workload.
	 */
	@Override
	public Set<Contender> contenders() {
		return EnumSet.complementOf(EnumSet.of(Contender.REDISSON_32, Contender.REDISSON_100));
	}

	@Override
	public int warmUps() {
		return 2;
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		double byMany = rate(contender, target, this.byMany,
				(peer, due) -> Messages.scheduleEach(peer, this.byMany, 8, due));
		double byOne = rate(contender, target, this.byOne,
				(peer, due) -> Messages.scheduleEach(peer, this.byOne, 1, due));
		double bulk = rate(contender, target, this.bulk, (peer, due) -> Messages.scheduleAll(peer, 0, this.bulk, due));
		return List.of(new Measured("8 threads /s", byMany), new Measured("1 thread /s", byOne),
				new Measured("8 threads, x 1 thread", byMany / byOne), new Measured("bulk /s", bulk));
	}

	private static double rate(Contender contender, Target target, int count, Schedule schedule)
			throws InterruptedException {
		target.server().call("FLUSHALL");
		try (Peer peer = target.start(contender, (payload) -> {
		})) {
			double rate = schedule.by(peer, System.currentTimeMillis() + Messages.HOUR_MILLIS);
			Messages.check(peer, count);
			return rate;
		}
	}

	/** Schedules messages, and returns the number of messages per second. */
	private interface Schedule {

		double by(Peer peer, long dueMillis) throws InterruptedException;

	}

}
