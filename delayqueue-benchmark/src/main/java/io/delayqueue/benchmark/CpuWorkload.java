package io.delayqueue.benchmark;

import java.util.List;

/**
 * Workload W6: the CPU time of Redis for one message.
 */
final class CpuWorkload implements Workload {

	private final int count;

	private final int countOfRedisson;

	CpuWorkload(Scale scale) {
		this.count = scale.count(50_000);
		this.countOfRedisson = scale.count(10_000);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		Burst burst = Burst.of(contender, target, contender.isRedisson() ? this.countOfRedisson : this.count);
		return List.of(new Measured("drain us", burst.drainCpuMicros()),
				new Measured("whole path us", burst.wholeCpuMicros()));
	}

}
