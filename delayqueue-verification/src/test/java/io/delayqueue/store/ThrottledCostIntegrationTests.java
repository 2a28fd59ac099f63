package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.ReadyMessages.Entry;

import io.delayqueue.test.fault.CountingScripts;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A delivery and an acknowledgement of messages of throttled groups run the same
 * commands, however many messages of these groups wait for a token.
 */
@Tag("slow")
class ThrottledCostIntegrationTests {

	private static final int GROUPS = 40;

	private static final GroupSettings ONE_AN_HOUR = new GroupSettings(0, false, false, 0, 100,
			new RateLimit(1, Duration.ofHours(1), 1), Map.of());

	private static final Connected connected = Connected.over(Driver.JEDIS, SharedRedis.get().uri());

	@AfterAll
	static void disconnect() {
		connected.close();
	}

	@Test
	void messagesThatWaitForATokenCostNothing() {
		Commands few = commandsOfNextTokens(2);
		Commands many = commandsOfNextTokens(50);

		assertThat(many).isEqualTo(few);
		assertThat(many.acknowledgement()).as("at most 2 for each message").isLessThan(2L * GROUPS);
	}

	/**
	 * The commands of the scripts that deliver and acknowledge a message of each group.
	 */
	private static Commands commandsOfNextTokens(int waiting) {
		try (TestPartition partition = TestPartition.shared()) {
			CountingScripts counting = CountingScripts.of(connected.template(), partition.redis());
			TestStore store = partition.storeOver(connected).with(ONE_AN_HOUR);
			for (int group = 0; group < GROUPS; group++) {
				String name = "g" + group;
				store.schedule(IntStream.range(0, waiting + 1)
					.mapToObj((n) -> TestMessages.message(name + "-" + n, DUE + n, name, n))
					.toArray(NewMessage[]::new));
			}
			int bursts = 0;
			while (bursts < GROUPS || areAnyScheduled(partition)) {
				List<Entry> taken = store.moveAndTake("handler", 100).read().entries();
				bursts += taken.size();
				if (!taken.isEmpty()) {
					store.acknowledge(taken.toArray(Entry[]::new));
				}
			}
			partition.passHours(1);
			counting.cost();
			List<Entry> taken = store.moveAndTake("handler", 100).read().entries();
			long delivery = counting.cost().commands();
			assertThat(taken).hasSize(GROUPS);
			store.acknowledge(taken.toArray(Entry[]::new));
			return new Commands(delivery, counting.cost().commands());
		}
	}

	private static boolean areAnyScheduled(TestPartition partition) {
		return Long.valueOf(1).equals(partition.redis().call("EXISTS", partition.key(Key.SCHEDULED)));
	}

	private record Commands(long delivery, long acknowledgement) {
	}

}
