package io.delayqueue.store;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.store.Leases.Lease;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

class LeasesIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void renewingResetsTheIdleTime() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		silence(held, "holder");
		assertThat(leases("holder").get(0).idle()).isGreaterThanOrEqualTo(HOUR);
		assertThat(renew("holder", held)).isEmpty();
		assertThat(leases("holder")).singleElement().satisfies((lease) -> {
			assertThat(lease.entry()).isEqualTo(held.entry());
			assertThat(lease.idle()).isLessThan(HOUR);
		});
	}

	@Test
	void aLostLeaseIsReportedAndNotTakenBack() {
		List<Entry> held = States.pending("a", "b").prepare(this.partition);
		this.store.release(DUE, held.get(0));
		this.store.take("second");
		PartitionDump before = this.partition.dump();
		assertThat(renew("holder", held.toArray(Entry[]::new))).containsExactly(held.get(0).entry());
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	/**
	 * A pending message has a due time in the future if the clock of Redis has gone back.
	 */
	@Test
	void aReleasedMessageIsDueNowAtTheLatest() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		assertThat(this.store.giveBack(States.FAR, held)).containsExactly(Settled.COUNTED);
		assertThat(this.store.take("second")).extracting(Entry::id).containsExactly("a");
	}

	@Test
	void withoutAGroupAllLeasesAreLost() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		this.partition.consumerGroup("DESTROY");
		assertThat(renew("holder", held)).containsExactly(held.entry());
		assertThat(leases("holder")).isEmpty();
		this.store.leases().renewAll(this.store.partition());
	}

	@Test
	void aConsumerHasOnlyItsOwnLeases() {
		Entry first = States.pending("a").prepare(this.partition).get(0);
		this.store.schedule("b", DUE, 2);
		Entry second = this.store.take("second").get(0);
		assertThat(leases("holder")).extracting(Lease::entry).containsExactly(first.entry());
		assertThat(leases("second")).extracting(Lease::entry).containsExactly(second.entry());
		assertThat(leases("unknown")).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void leasesAreListedPageByPage(Driver driver) {
		try (TestPartition own = TestPartition.shared(driver)) {
			TestStore of = own.store();
			of.schedule(many(Leases.PAGE + 1));
			of.sweep();
			List<Entry> held = of.read("holder");
			String last = held.get(Leases.PAGE - 1).entry();
			assertThat(of.leases().of(of.partition(), "holder", "")).extracting(Lease::entry)
				.containsExactlyElementsOf(held.stream().map(Entry::entry).limit(Leases.PAGE).toList());
			assertThat(of.leases().of(of.partition(), "holder", last)).extracting(Lease::entry)
				.containsExactly(last, held.get(Leases.PAGE).entry());
		}
	}

	@Test
	void anEntryHasItsMessageWhileItIsInTheStream() {
		Entry held = States.pending("订单").prepare(this.partition).get(0);
		assertThat(messageOf(held)).isEqualTo("订单");
		this.store.acknowledge(held);
		assertThat(messageOf(held)).isEmpty();
	}

	@Test
	void renewingAllKeepsEachLeaseWithItsConsumer() {
		this.store.schedule(many(1000));
		this.store.sweep();
		List<Entry> first = this.store.ready().read(this.store.partition(), "first", 600).entries();
		List<Entry> second = this.store.read("second");
		silence(first.get(0), "first");
		silence(second.get(399), "second");
		PartitionDump before = this.partition.dump();
		this.store.leases().renewAll(this.store.partition());
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.store.snapshots().of(this.store.partition()).oldestPendingIdleMillis())
			.isLessThan(HOUR.toMillis());
		assertThat(leases("second")).allMatch((lease) -> lease.idle().compareTo(HOUR) < 0);
	}

	@Test
	void aLeavingConsumerIsRemovedUnlessItHoldsMessages() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		assertThat(remove("holder")).isZero();
		assertThat(leases("holder")).hasSize(1);
		this.store.acknowledge(held);
		assertThat(remove("")).isZero();
		assertThat(remove("holder")).isEqualTo(1);
		assertThat(this.store.snapshots().of(this.store.partition()).consumers()).isZero();
	}

	@Test
	void withoutAGroupOrAStreamNoConsumerIsRemoved() {
		assertThat(remove("holder")).isZero();
		States.ready("a").prepare(this.partition);
		assertThat(remove("holder")).isZero();
	}

	private static NewMessage[] many(int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> TestMessages.message("id-" + i, DUE, i))
			.toArray(NewMessage[]::new);
	}

	private int remove(String leaving) {
		return this.store.leases().removeConsumers(this.store.partition(), leaving);
	}

	private void silence(Entry held, String consumer) {
		this.partition.command("XCLAIM", Key.READY, KeySpace.GROUP, consumer, "0", held.entry(), "IDLE",
				Long.toString(HOUR.toMillis()), "JUSTID");
	}

	private Set<String> renew(String consumer, Entry... held) {
		return this.store.leases()
			.renew(this.store.partition(), consumer, Arrays.stream(held).map(Entry::entry).toList());
	}

	private List<Lease> leases(String consumer) {
		return this.store.leases().of(this.store.partition(), consumer, "");
	}

	private String messageOf(Entry held) {
		return this.store.leases().messageOf(this.store.partition(), held.entry()).id();
	}

}
