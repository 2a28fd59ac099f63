package io.delayqueue.journey;

import java.util.Random;

import io.delayqueue.journey.fixture.BatchStory;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random batches that succeed in part: some messages succeed, some fail, some are
 * deferred, some batches fail as a whole, and at times a process falls silent with all
 * messages that it has read. In any case each message runs until it is done or dead, and
 * its attempts count only its own failures and crashes, not those of the messages in the
 * same batch. The system properties {@value #SEED} and {@value #ROUNDS} repeat a run and
 * make it longer.
 */
class BatchSequencesIntegrationTests {

	private static final String SEED = "delayqueue.test.batches.seed";

	private static final String ROUNDS = "delayqueue.test.batches.rounds";

	@Test
	void eachMessageHasItsOwnHistoryWhateverTheOutcomeOfItsBatches() {
		run(Integer.getInteger(ROUNDS, 2));
	}

	@Tag("slow")
	@Test
	void aThousandMessagesHaveTheirOwnHistories() {
		run(Integer.getInteger(ROUNDS, 30));
	}

	/** Every second round a process falls silent. */
	private static void run(int rounds) {
		long seed = Long.getLong(SEED, System.nanoTime());
		System.out.println("Batches: -D" + SEED + "=" + seed + ", " + rounds + " rounds");
		try (RedisServer redis = RedisServer.builder().start();
				FaultProxy way = FaultProxy.to(redis);
				TestApplication applications = new TestApplication(way.uri())
					.with("delayqueue.defaults.partitions=" + BatchStory.PARTITIONS)
					.with("delayqueue.defaults.max-attempts=" + BatchStory.MOST_ATTEMPTS)
					.with("delayqueue.defaults.back-off.first=10ms")
					.with("delayqueue.defaults.visibility-timeout=2s")
					.with("spring.data.redis.timeout=1s")) {
			BatchStory story = new BatchStory(redis, way, applications, seed);
			for (int round = 0; round < rounds; round++) {
				try {
					story.round(round, round % 2 == 1);
				}
				catch (AssertionError | RuntimeException failure) {
					throw new AssertionError(
							"-D" + SEED + "=" + seed + ", round " + round + ": " + failure.getMessage(), failure);
				}
			}
			applications.awaitExplainedKeys(redis);
			System.out.println("Batches: " + story.total());
		}
	}

}
