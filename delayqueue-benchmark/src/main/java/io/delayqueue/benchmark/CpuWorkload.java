package io.delayqueue.benchmark;

import java.util.List;

import io.delayqueue.test.redis.RedisServer;

/**
 * W6: CPU time of Redis for one message.
 */
final class CpuWorkload implements Workload {

	private static final int COUNT = 50_000;

	private static final int COUNT_OF_REDISSON = 10_000;

	@Override
	public List<Measured> run(Contender contender, RedisServer server) throws InterruptedException {
		Burst burst = Burst.of(contender, server, contender.isRedisson() ? COUNT_OF_REDISSON : COUNT);
		return List.of(new Measured("drain us", burst.drainCpuMicros()),
				new Measured("whole path us", burst.wholeCpuMicros()));
	}

}
