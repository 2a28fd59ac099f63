package io.delayqueue.fleet;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.engine.TestEngines;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.SweepSettings;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Checks of idle partitions of a cluster while one of its masters does not answer.
 */
class PartitionWatchIntegrationTests {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

	private static final String PREFIX = "watch";

	private final Map<Partition, AtomicInteger> checks = new ConcurrentHashMap<>();

	@Test
	void failingMasterDoesNotDelayTheChecksOnOtherMasters() {
		try (RedisCluster cluster = RedisCluster.builder()
			.replicas(0)
			.nodeTimeout(Duration.ofSeconds(15))
			.setting("cluster-require-full-coverage", "no")
			.start()) {
			JedisConnectionFactory connections = new JedisConnectionFactory(
					new RedisClusterConfiguration(cluster.addresses()));
			connections.afterPropertiesSet();
			connections.start();
			DelayQueueRedisTemplate template = new DelayQueueRedisTemplate(connections);
			template.afterPropertiesSet();
			template.start();
			try (DelayQueueEngine engine = DelayQueueEngine.builder(template, (queue) -> TestEngines.settings(queue, 1))
				.keyPrefix(PREFIX)
				.build()) {
				watch(cluster, engine.calls());
			}
			finally {
				template.destroy();
				connections.destroy();
			}
		}
	}

	private void watch(RedisCluster cluster, RedisCalls calls) {
		Epochs epochs = Epochs.first("orders", 12);
		Partition failing = epochs.partitions().get(0);
		RedisServer node = master(cluster, failing);
		Partition healthy = epochs.partitions()
			.stream()
			.filter((partition) -> master(cluster, partition) != node)
			.findFirst()
			.orElseThrow();
		Signals signals = new Signals();
		RedisGate gate = new RedisGate(null);
		LoopRegistry loops = new LoopRegistry();
		Fleet fleet = new Fleet(true, new Members(calls), new QueueDirectory(calls), new HintChannel(calls),
				new Signals(), gate, new LoopRegistry());
		try (fleet;
				PartitionWatch watch = new PartitionWatch(new SweepSettings(Duration.ofMillis(20), 100, 0), calls,
						signals, fleet, gate, loops)) {
			signals.consuming(epochs, new Signals.PartitionSignals() {

				@Override
				public void empty(Partition partition, long asOfNanos) {
					count(partition).incrementAndGet();
				}

			});
			epochs.partitions().forEach((partition) -> watch.join(partition, Long.MAX_VALUE));
			await().until(() -> count(failing).get() > 2 && count(healthy).get() > 2);

			node.stop();
			await().atMost(LONG_ENOUGH).until(() -> failures(loops) > 0);
			int before = count(healthy).get();
			int failuresBefore = failures(loops);
			await().atMost(LONG_ENOUGH).until(() -> failures(loops) >= failuresBefore + 4);

			int failures = failures(loops) - failuresBefore;
			assertThat(count(healthy).get() - before).as("checks during %d failures", failures)
				.isGreaterThan(2 * failures);

			node.start();
			int failed = count(failing).get();
			await().atMost(LONG_ENOUGH).until(() -> count(failing).get() > failed + 2);
			await().until(() -> failures(loops) == 0);
		}
	}

	private AtomicInteger count(Partition partition) {
		return this.checks.computeIfAbsent(partition, (same) -> new AtomicInteger());
	}

	private static RedisServer master(RedisCluster cluster, Partition partition) {
		return cluster.masterOf(PREFIX + ":{" + partition + "}:scheduled");
	}

	private static int failures(LoopRegistry loops) {
		return loops.statuses().stream().mapToInt(LoopStatus::failures).max().orElse(0);
	}

}
