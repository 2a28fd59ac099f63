package io.delayqueue.benchmark.micro;

import java.time.Clock;
import java.util.concurrent.TimeUnit;

import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.Partitioner;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the generation of ids and call tokens, and the computation of partitions.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class IdsBenchmark {

	private static final int PARTITIONS = 16;

	private final GeneratedIds ids = new GeneratedIds(Clock.systemUTC());

	private final String generated = this.ids.next(3);

	@Benchmark
	public String id() {
		return this.ids.next(3);
	}

	@Benchmark
	public String callToken() {
		return CallToken.next();
	}

	@Benchmark
	public int partitionOfAGeneratedId() {
		return Partitioner.of(this.generated, null, PARTITIONS);
	}

	@Benchmark
	public int partitionOfAnId() {
		return Partitioner.of("order-4711", null, PARTITIONS);
	}

	@Benchmark
	public int partitionOfAGroup() {
		return Partitioner.of("order-4711", "user-1", PARTITIONS);
	}

}
