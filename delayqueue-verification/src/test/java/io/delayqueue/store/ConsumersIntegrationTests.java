package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

import io.delayqueue.store.Consumers.Holding;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Snapshots.Outlook;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class ConsumersIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void withoutAStreamOrAGroupThereAreNone() {
		assertThat(consumers()).isEmpty();
		States.ready("a").prepare(this.partition);
		assertThat(consumers()).isEmpty();
	}

	@Test
	void consumersAreListedWithTheirMessagesThoseWithMostFirst() {
		States.ready("a", "b", "c", "d").prepare(this.partition);
		this.store.ready().read(this.store.partition(), "one", 1);
		Entry last = this.store.read("three").get(2);
		this.partition.command("XCLAIM", Key.READY, KeySpace.GROUP, "three", "0", last.entry(), "IDLE", "3600000",
				"JUSTID");
		assertThat(consumers()).extracting(Holding::name, Holding::pending)
			.containsExactly(tuple("three", 3L), tuple("one", 1L));
		assertThat(consumers().get(0).oldestIdleMillis()).isGreaterThanOrEqualTo(3_600_000);
		assertThat(consumers().get(1).oldestIdleMillis()).isLessThan(3_600_000);
		assertThat(consumers()).allSatisfy((one) -> assertThat(one.silentMillis()).isLessThan(3_600_000));
	}

	@Test
	void atMostAHundredConsumersAreListed() {
		States.pending("a", "b").prepare(this.partition);
		for (int i = 0; i < 150; i++) {
			this.partition.consumerGroup("CREATECONSUMER", "idle-" + i);
		}
		assertThat(consumers()).hasSize(Consumers.MOST).first().extracting(Holding::name).isEqualTo("holder");
	}

	@Test
	void futureMessagesAreCountedByDueTime() {
		long now = this.partition.now();
		States.scheduled("overdue").prepare(this.partition);
		this.store.schedule("soon", now + 50_000, 1);
		this.store.schedule("in 5 min", now + 300_000, 1);
		this.store.schedule("too", now + 300_000, 1);
		this.store.schedule("in 2 h", now + 7_200_000, 1);
		this.store.schedule("late", States.FAR, 1);
		Outlook outlook = this.store.snapshots()
			.outlook(this.store.partition(),
					List.of(Duration.ofMinutes(1), Duration.ofMinutes(10), Duration.ofHours(1), Duration.ofDays(1)));
		assertThat(outlook.within()).containsExactly(1L, 3L, 3L, 4L);
		assertThat(outlook.now().scheduled()).isEqualTo(6);
		assertThat(outlook.now().overdue()).isEqualTo(1);
		assertThat(this.store.snapshots().outlook(this.store.partition(), List.of()).within()).isEmpty();
	}

	private List<Holding> consumers() {
		return this.store.consumers().of(this.store.partition());
	}

}
