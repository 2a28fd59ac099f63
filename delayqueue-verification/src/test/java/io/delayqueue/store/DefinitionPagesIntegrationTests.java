package io.delayqueue.store;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.queue.Epochs;
import io.delayqueue.store.RecurringSteps.Advanced;
import io.delayqueue.store.RecurringSteps.After;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of due definitions: while definitions are removed, no other one is left out.
 */
class DefinitionPagesIntegrationTests {

	private static final Epochs EPOCHS = Epochs.first("orders", TestStore.PARTITIONS);

	private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f", "g");

	@ParameterizedTest
	@CsvSource({ "a, 1", "b, 1", "c, 1", "a, 0", "b, 0", "c, 0" })
	void aRemovalBetweenTwoPagesHidesNoDefinition(String removed, int millisBetween) {
		try (TestPartition partition = TestPartition.shared()) {
			store(partition, millisBetween);
			Advanced first = read(partition, After.BEGIN);
			assertThat(first.unreadable()).containsOnlyKeys("a", "b", "c");
			partition.command("ZREM", Key.RECURRENCES, removed);
			partition.command("HDEL", Key.RECURRING, removed);

			assertThat(rest(partition, first.last())).contains("d", "e", "f", "g");
		}
	}

	@Test
	void allDefinitionsAreReadOnce() {
		try (TestPartition partition = TestPartition.shared()) {
			store(partition, 0);
			Advanced first = read(partition, After.BEGIN);
			Advanced second = read(partition, first.last());
			Advanced third = read(partition, second.last());
			assertThat(first.unreadable()).containsOnlyKeys("a", "b", "c");
			assertThat(second.unreadable()).containsOnlyKeys("d", "e", "f");
			assertThat(third.unreadable()).containsOnlyKeys("g");
			assertThat(read(partition, third.last()).last()).isEqualTo(After.BEGIN);
		}
	}

	@Test
	void anInstantOfARemovedDefinitionIsNoEndOfTheRead() {
		try (TestPartition partition = TestPartition.shared()) {
			store(partition, 1);
			partition.command("HDEL", Key.RECURRING, "a");
			partition.command("HDEL", Key.RECURRING, "b");
			partition.command("HDEL", Key.RECURRING, "c");
			Advanced first = read(partition, After.BEGIN);
			assertThat(first.unreadable()).isEmpty();
			assertThat(rest(partition, first.last())).containsExactlyInAnyOrder("d", "e", "f", "g");
		}
	}

	private static void store(TestPartition partition, int millisBetween) {
		long first = partition.now() - 60_000;
		IntStream.range(0, KEYS.size()).forEach((n) -> {
			partition.command("HSET", Key.RECURRING, KEYS.get(n), "of another program");
			partition.command("ZADD", Key.RECURRENCES, Long.toString(first + n * (long) millisBetween), KEYS.get(n));
		});
	}

	private static Set<String> rest(TestPartition partition, After after) {
		Set<String> keys = new HashSet<>();
		After last = after;
		for (int n = 0; n < KEYS.size() && !last.equals(After.BEGIN); n++) {
			Advanced page = read(partition, last);
			keys.addAll(page.unreadable().keySet());
			last = page.last();
		}
		return keys;
	}

	private static Advanced read(TestPartition partition, After after) {
		return new RecurringSteps(partition.store().calls()).advance(partition.store().partition(), EPOCHS, List.of(),
				3, after, false);
	}

}
