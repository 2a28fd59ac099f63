package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * W2: messages with the same due time, measured from then until the last one is handled.
 */
final class BurstWorkload implements Workload {

	private final Duration limitOfRedisson;

	private final int[] counts;

	/**
	 * Creates the workload.
	 * @param limitOfRedisson how long Redisson may take for all bursts but the first one
	 * @param counts the messages of each burst
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
			// At 138 messages a second Redisson would take half an hour for all of them
			boolean limited = contender.isRedisson() && count > this.counts[0];
			measured.add(new Measured(String.format(Locale.ROOT, "%,d /s", count),
					limited ? Burst.perSecondWithin(this.limitOfRedisson, contender, target, count)
							: Burst.of(contender, target, count).perSecond()));
		}
		return measured;
	}

}
