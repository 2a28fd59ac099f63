package io.delayqueue.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.test.fault.LeftKeys;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls on a queue whose partition count changes. The system properties
 * {@value #SEED} and {@value #SEQUENCES} repeat a run and make it longer.
 */
class GrowthSequencesIntegrationTests {

	private static final String SEED = "delayqueue.test.growth.seed";

	private static final String SEQUENCES = "delayqueue.test.growth";

	private static final int LENGTH = 120;

	private static final int PROCESSES = 3;

	private final JedisConnectionFactory connections = new JedisConnectionFactory(
			new RedisStandaloneConfiguration(SharedRedis.get().host(), SharedRedis.get().port()));

	private DelayQueueRedisTemplate template;

	@BeforeEach
	void connect() {
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.template = new DelayQueueRedisTemplate(this.connections);
		this.template.afterPropertiesSet();
		this.template.start();
	}

	@AfterEach
	void close() {
		this.template.destroy();
		this.connections.destroy();
	}

	@Test
	void everyCallFindsItsMessageInOneEpoch() {
		run(Integer.getInteger(SEQUENCES, 5));
	}

	@Tag("slow")
	@Test
	void hundredsOfSequencesFindTheirMessagesInOneEpoch() {
		run(Integer.getInteger(SEQUENCES, 300));
	}

	/** Each sequence has a seed of its own, the first one the given seed. */
	private void run(int sequences) {
		long first = Long.getLong(SEED, System.nanoTime());
		System.out.println("Growth: -D" + SEED + "=" + first + ", " + sequences + " sequences of " + LENGTH + " steps");
		for (long seed = first; seed < first + sequences; seed++) {
			run(seed);
		}
	}

	private void run(long seed) {
		String prefix = "growth-" + UUID.randomUUID();
		List<DelayQueueEngine> engines = Stream
			.generate(() -> DelayQueueEngine.builder(this.template, (queue) -> settings()).keyPrefix(prefix).build())
			.limit(PROCESSES)
			.toList();
		GrowingQueue queue = new GrowingQueue(engines.get(0), this.template, prefix);
		GrowthSequence sequence = new GrowthSequence(engines, queue, new Random(seed));
		try (RespClient redis = SharedRedis.get().client()) {
			for (int i = 0; i < LENGTH; i++) {
				sequence.step();
			}
			sequence.finish();
			assertThat(LeftKeys.of(redis, prefix, queue.epochs().partitions())).isEmpty();
		}
		catch (AssertionError | RuntimeException failure) {
			throw new AssertionError(
					"-D" + SEED + "=" + seed + "\n" + String.join("\n", sequence.log()) + "\n" + failure.getMessage(),
					failure);
		}
		finally {
			engines.forEach(DelayQueueEngine::close);
		}
	}

	private static QueueSettings settings() {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(GrowingQueue.NAME, 1, 10, Duration.ofSeconds(30), Duration.ofDays(2), 1000,
				Duration.ofSeconds(1), GrowingQueue.WINDOW, retry,
				new GroupSettings(GrowthOracle.QUOTA, false, false, 0, null, null, Map.of()), ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
