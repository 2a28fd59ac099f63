package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * W2: messages with the same due time, measured from then until the last one is handled.
 */
final class BurstWorkload implements Workload {

	private static final Duration LIMIT_OF_REDISSON = Duration.ofSeconds(10);

	private final int[] counts;

	BurstWorkload(int... counts) {
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
					limited ? Burst.perSecondWithin(LIMIT_OF_REDISSON, contender, target, count)
							: Burst.of(contender, target, count).perSecond()));
		}
		return measured;
	}

}
