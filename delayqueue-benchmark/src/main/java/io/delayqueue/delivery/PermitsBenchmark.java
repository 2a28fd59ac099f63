package io.delayqueue.delivery;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures how long two threads take to acquire and release permits of the same consumer.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@Threads(2)
public class PermitsBenchmark {

	private final Permits permits = new Permits(100, () -> {
	});

	@Benchmark
	public int takeAndGiveBack() {
		int taken = this.permits.take(1);
		this.permits.giveBack(taken);
		return taken;
	}

	@Benchmark
	public int takeAndLeaveEarly() {
		int taken = this.permits.take(1);
		if (this.permits.leaveEarly()) {
			this.permits.ended(1);
		}
		else {
			this.permits.giveBack(taken);
		}
		return taken;
	}

}
