package io.delayqueue.store;

import java.util.List;
import java.util.Map;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

/** Who gets the place that somebody of a strict group leaves. */
class GroupPlacesIntegrationTests {

	private static final GroupSettings STRICT = new GroupSettings(3, true, false, 1, null, Map.of());

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store().with(STRICT);

	@Test
	void whatIsRemovedTogetherLeavesNothingThatWaits() {
		headAndParked();

		Purged purged = new Purges(this.store.calls()).purge(this.store.partition(), TestStore.WINDOW, false, "g",
				List.of("a", "b", "c"));

		assertThat(purged).isEqualTo(new Purged(3, 2, 1, 0));
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	/** The head is pending, two are parked behind it. */
	private Entry headAndParked() {
		this.store.schedule(TestStore.message("a", DUE, "g", 1), TestStore.message("b", DUE + 1, "g", 2),
				TestStore.message("c", DUE + 2, "g", 3));
		Entry head = this.store.take("first").get(0);
		assertThat(head.id()).isEqualTo("a");
		return head;
	}

}
