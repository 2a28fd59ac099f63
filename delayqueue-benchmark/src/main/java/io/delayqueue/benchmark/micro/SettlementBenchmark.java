package io.delayqueue.benchmark.micro;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.queue.Partition;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.PendingMessages.Acknowledgement;
import io.delayqueue.store.PendingMessages.Settlements;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.StoredId;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Measures the Java time for each of a hundred messages that are acknowledged in one
 * call, without Redis: the creation of the arguments, and the parsing of an immediate
 * reply.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SettlementBenchmark {

	private static final int BATCH = 100;

	private final PendingMessages pending = new PendingMessages(
			new RedisCalls(new AnsweredAtOnce(), new KeySpace("dq")));

	private final Partition partition = new Partition("orders", 0);

	private final List<Acknowledgement> batch = IntStream.range(0, BATCH)
		.mapToObj((i) -> new Acknowledgement("1800000000000-" + i, new StoredId("order-" + i, null), "token000001",
				Duration.ofMinutes(2)))
		.toList();

	@Benchmark
	@OperationsPerInvocation(BATCH)
	public Settlements acknowledge() {
		return this.pending.acknowledge(this.partition, Duration.ofSeconds(10), this.batch);
	}

	private static final class AnsweredAtOnce extends RedisTemplate<String, byte[]> {

		private final List<Object> answer = new ArrayList<>(Collections.nCopies(BATCH + 1, 1L));

		AnsweredAtOnce() {
			setConnectionFactory(new JedisConnectionFactory(new RedisStandaloneConfiguration()));
		}

		@Override
		@SuppressWarnings("unchecked")
		public <T> T execute(RedisScript<T> script, RedisSerializer<?> arguments, RedisSerializer<T> result,
				List<String> keys, Object... values) {
			return (T) this.answer;
		}

	}

}
