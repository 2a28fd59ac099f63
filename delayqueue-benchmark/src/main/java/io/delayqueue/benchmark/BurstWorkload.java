package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Workload W2: bursts of messages with the same due time. The time is measured from the
 * due time until the last message is handled.
 */
final class BurstWorkload implements Workload {

	private final Duration limitOfRedisson;

	private final int[] counts;

	/**
	 * Creates the workload.
	 * @param limitOfRedisson how long Redisson may take for each burst that is larger
	 * than the first burst
	 * @param counts the number of messages of each burst
	 */
	BurstWorkload(Duration limitOfRedisson, int... counts) {
		this.limitOfRedisson = limitOfRedisson;
		this.counts = counts;
	}

	@Override
	public int warmUps() {
		return 2;
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		for (int count : this.counts) {
			target.server().call("FLUSHALL");
			// Redisson handles 138 messages a second, so that it would take half an hour
			// for all messages
			boolean limited = contender.isRedisson() && count > this.counts[0];
			measured.add(new Measured(String.format(Locale.ROOT, "%,d /s", count),
					limited ? Burst.perSecondWithin(this.limitOfRedisson, contender, target, count)
							: Burst.of(contender, target, count).perSecond()));
		}
		return measured;
	}

}
