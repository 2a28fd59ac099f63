package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.delayqueue.test.redis.RedisServer;

/**
 * W2: messages with the same due time, measured from then until the last one is handled.
 */
final class BurstWorkload implements Workload {

	private final int[] counts;

	BurstWorkload(int... counts) {
		this.counts = counts;
	}

	@Override
	public int warmUps() {
		return 2;
	}

	@Override
	public List<Measured> run(Contender contender, RedisServer server) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		for (int count : this.counts) {
			// At 138 messages a second the full number would take half an hour
			if (contender != Contender.REDISSON || count == this.counts[0]) {
				server.call("FLUSHALL");
				measured.add(new Measured(String.format(Locale.ROOT, "%,d /s", count),
						Burst.of(contender, server, count).perSecond()));
			}
		}
		return measured;
	}

}
