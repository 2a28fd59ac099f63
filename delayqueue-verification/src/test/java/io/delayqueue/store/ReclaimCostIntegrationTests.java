package io.delayqueue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.store.Leases.Found;
import io.delayqueue.store.Leases.Reclaimed;
import io.delayqueue.test.fault.CountingScripts.Cost;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Neither sweep nor reclaim delays other calls: for any number and size of messages that
 * a silent consumer holds, no script runs more commands than its limit needs, and none
 * reads a record.
 */
@Tag("slow")
class ReclaimCostIntegrationTests {

	/** The most messages that a call reclaims. */
	private static final int LIMIT = 200;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	@RegisterExtension
	final CountedStore counted = new CountedStore(this.partition);

	@ParameterizedTest
	@CsvSource({ "2000, 300", "200, 250000" })
	void noScriptIsLong(int count, int size) {
		schedule(count, size);
		TestStore store = this.counted.store();
		Set<String> held = new HashSet<>();
		this.counted.cost();
		while (held.size() < count) {
			store.sweep();
			assertThat(this.counted.most().commands()).as("sweep").isLessThan(20 * LIMIT);
			assertThat(this.counted.cost().bytes()).as("sweep").isLessThan(LIMIT * 200);
			store.read("silent").forEach((entry) -> held.add(entry.id()));
			this.counted.cost();
		}

		Set<String> taken = new HashSet<>();
		Found found;
		do {
			found = store.reclaim();
			found.messages().stream().map(Reclaimed::id).forEach(taken::add);
			Cost cost = this.counted.cost();
			assertThat(found.messages()).hasSizeLessThanOrEqualTo(LIMIT);
			assertThat(cost.commands()).as("commands").isLessThan(20 * LIMIT);
			assertThat(cost.values()).as("values").isLessThan(20 * LIMIT);
			assertThat(cost.bytes()).as("bytes").isLessThan(LIMIT * 200);
		}
		while (found.more());
		assertThat(taken).hasSize(count);
	}

	private void schedule(int count, int size) {
		String payload = "x".repeat(size);
		List<NewMessage> batch = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			batch.add(TestMessages.message("id-" + i, Due.at(Instant.ofEpochMilli(DUE)), i, payload));
			if (batch.size() * (long) size > 1_000_000 || batch.size() == 500 || i == count - 1) {
				this.partition.store().schedule(batch.toArray(NewMessage[]::new));
				batch.clear();
			}
		}
	}

}
