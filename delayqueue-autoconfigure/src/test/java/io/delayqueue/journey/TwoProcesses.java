package io.delayqueue.journey;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.journey.PartitionOracle.Place;
import io.delayqueue.store.Partition;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ConfigurableApplicationContext;

import static io.delayqueue.journey.PartitionOracle.QUEUES;

/**
 * Two processes that share queues, asked by turns at random, and the keys of their
 * partitions.
 */
final class TwoProcesses {

	private final RedisServer redis;

	private final String prefix;

	private final List<ConfigurableApplicationContext> processes;

	private final Random random;

	TwoProcesses(RedisServer redis, TestApplication applications, Random random) {
		this.redis = redis;
		this.prefix = applications.prefix();
		this.processes = List.of(applications.start(Mortals.class), applications.start());
		this.random = random;
		QUEUES.keySet()
			.forEach((queue) -> Awaitility.await()
				.until(() -> redis.call("HEXISTS", this.prefix + ":queues", queue), Long.valueOf(1)::equals));
	}

	/** Those that handle what is due. */
	Mortals mortals() {
		return this.processes.get(0).getBean(Mortals.class);
	}

	/** As one process or the other sees them. */
	DelayQueueOperations queues() {
		return either().getBean(DelayQueueOperations.class);
	}

	DelayQueueAdmin admin() {
		return either().getBean(DelayQueueAdmin.class);
	}

	private ConfigurableApplicationContext either() {
		return this.processes.get(this.random.nextInt(this.processes.size()));
	}

	boolean isStored(Place place) {
		return Long.valueOf(1).equals(ask("HEXISTS", place.partition(), "messages", place.id()));
	}

	@Nullable Object ask(String command, Partition partition, String key, String... more) {
		List<String> words = new ArrayList<>(
				List.of(command, this.prefix + ":{" + partition.queue() + ":" + partition.number() + "}:" + key));
		words.addAll(List.of(more));
		return this.redis.call(words.toArray(String[]::new));
	}

}
