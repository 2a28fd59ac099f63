package io.delayqueue.journey;

import java.util.Random;

import io.delayqueue.journey.fixture.PartitionSequence;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.delayqueue.journey.fixture.PartitionOracle.QUEUES;
import static io.delayqueue.journey.fixture.PartitionOracle.QUOTA;

/**
 * Random calls of two processes on queues of several partitions, compared with the
 * expected content of each partition: ids and groups are found in their partition, every
 * message of a bulk call has its own answer, and an operation on all partitions processes
 * each message once. The system properties {@value #SEED} and {@value #STEPS} repeat a
 * run and make it longer.
 */
class PartitionSequencesIntegrationTests {

	private static final String SEED = "delayqueue.test.partitions.seed";

	private static final String STEPS = "delayqueue.test.partitions.steps";

	@Test
	void everyCallFindsTheMessagesOfItsPartition() {
		run(Integer.getInteger(STEPS, 100));
	}

	@Tag("slow")
	@Test
	void thousandsOfCallsFindTheMessagesOfTheirPartition() {
		run(Integer.getInteger(STEPS, 4000));
	}

	private static void run(int steps) {
		long seed = Long.getLong(SEED, System.nanoTime());
		System.out.println("Partitions: -D" + SEED + "=" + seed + ", " + steps + " steps");
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())
					.with("delayqueue.defaults.max-attempts=1")
					.with("delayqueue.defaults.group.quota=" + QUOTA)
					.with("delayqueue.defaults.done-window=10m")) {
			QUEUES.forEach((queue, count) -> applications.with("delayqueue.queues." + queue + ".partitions=" + count));
			PartitionSequence sequence = new PartitionSequence(redis, applications, new Random(seed));
			try {
				for (int i = 0; i < steps; i++) {
					sequence.step();
				}
				applications.awaitExplainedKeys(redis);
			}
			catch (AssertionError | RuntimeException failure) {
				throw new AssertionError("-D" + SEED + "=" + seed + "\n" + String.join("\n", sequence.log()) + "\n"
						+ failure.getMessage(), failure);
			}
		}
	}

}
