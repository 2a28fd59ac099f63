package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An acknowledgement of many messages trims the stream instead of deleting each entry:
 * all entries that remain are undelivered or pending.
 */
class TrimmedStreamIntegrationTests {

	/** More than two pages of pending entries. */
	private static final int MANY = 50;

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void theStreamOfAnIdleQueueIsEmpty() {
		List<Entry> held = pending(MANY);
		assertThat(acknowledge(held)).containsOnly(Settled.COUNTED);
		assertThat(scripts.written()).contains("XTRIM ready");
		remaining(List.of(), List.of());
	}

	/** XDEL of the last entry and XACK follow. */
	@Test
	void oneTrimRemovesAllEntriesButTheLastOne() {
		List<Entry> held = pending(MANY);
		assertThat(scripts.stops(() -> acknowledge(held), 4)).isTrue();
		assertThat(scripts.written()).last().isEqualTo("XTRIM ready");
		remaining(List.of(held.get(MANY - 1).id()), held);
	}

	@Test
	void readyMessagesAreDeliveredThoughRemovedEntriesAreStillPending() {
		List<Entry> held = pending(MANY);
		States.ready("later").prepare(this.partition);
		assertThat(scripts.stops(() -> acknowledge(held), 4)).isTrue();
		assertThat(this.store.sweepAndTake("another", 10).read().entries()).extracting(Entry::id)
			.containsExactly("later");
	}

	@Test
	void undeliveredEntriesStay() {
		List<Entry> held = pending(MANY);
		States.ready("later", "latest").prepare(this.partition);
		acknowledge(held);
		remaining(List.of("later", "latest"), List.of());
		assertThat(this.store.read("another")).extracting(Entry::id).containsExactly("later", "latest");
	}

	@Test
	void behindALongHandlerOnlySettledEntriesAreRemoved() {
		List<Entry> held = pending(MANY);
		acknowledge(held.subList(1, 26));
		acknowledge(held.subList(26, MANY));
		assertThat(scripts.written()).doesNotContain("XTRIM ready");
		remaining(List.of(held.get(0).id()), held.subList(0, 1));
		acknowledge(held.subList(0, 1));
		remaining(List.of(), List.of());
	}

	@Test
	void outOfOrderOnlySettledEntriesAreRemoved() {
		List<Entry> held = pending(MANY);
		List<Entry> others = new ArrayList<>(List.of(held.get(13), held.get(14), held.get(30)));
		List<Entry> first = new ArrayList<>(held);
		first.removeAll(others);
		Collections.reverse(first);
		assertThat(acknowledge(first)).containsOnly(Settled.COUNTED);
		assertThat(scripts.written()).contains("XTRIM ready");
		remaining(others.stream().map(Entry::id).toList(), others);
		acknowledge(others);
		remaining(List.of(), List.of());
	}

	@Test
	void entriesOfAnotherConsumerStay() {
		List<Entry> held = pending(MANY);
		States.ready("other").prepare(this.partition);
		List<Entry> other = this.store.read("another");
		States.ready("last").prepare(this.partition);
		List<Entry> all = new ArrayList<>(held);
		all.addAll(this.store.read("holder"));
		acknowledge(all);
		remaining(List.of("other"), other);
	}

	@Test
	void supersededEntriesAreRemovedWithTheOthers() {
		List<Entry> held = pending(MANY);
		this.store.cancel(held.get(3).id(), 50);
		this.store.schedule(held.get(3).id(), States.DUE, 2);
		assertThat(acknowledge(held)).contains(Settled.SUPERSEDED);
		remaining(List.of(), List.of());
		assertThat(this.store.take("holder")).extracting(Entry::id).containsExactly(held.get(3).id());
	}

	@Test
	void aRepeatRemovesNoNewerEntry() {
		List<Entry> held = pending(MANY);
		acknowledge(held);
		List<Entry> newer = States.pending("newer", "newest").prepare(this.partition);
		assertThat(acknowledge(held)).containsOnly(Settled.GONE);
		remaining(newer.stream().map(Entry::id).toList(), newer);
	}

	@Test
	void afterTheLossOfTheConsumerGroupUndeliveredEntriesStay() {
		List<Entry> held = pending(MANY);
		this.partition.consumerGroup("DESTROY");
		acknowledge(held.subList(20, MANY));
		List<String> left = held.subList(0, 20).stream().map(Entry::id).toList();
		remaining(left, List.of());
		assertThat(this.store.read("another")).extracting(Entry::id).containsExactlyElementsOf(left);
	}

	@Test
	void inANewConsumerGroupUndeliveredEntriesStay() {
		List<Entry> held = pending(MANY);
		this.partition.consumerGroup("DESTROY");
		this.partition.consumerGroup("CREATE", "0");
		Entry again = this.store.sweepAndTake("another", 1).read().entries().get(0);
		List<Entry> settled = new ArrayList<>(held.subList(0, 5));
		settled.addAll(held.subList(25, MANY));
		acknowledge(settled);
		assertThat(again.entry()).isEqualTo(held.get(0).entry());
		remaining(held.subList(5, 25).stream().map(Entry::id).toList(), List.of());
	}

	/** A consumer group that begins at the end of the stream skips messages. */
	@Test
	void aMessageThatAGroupFromOutsideHasSkippedIsFoundByTheAudit() {
		States.ready("skipped").prepare(this.partition);
		this.partition.consumerGroup("CREATE", "$");
		acknowledge(pending(MANY));
		assertThat(this.store.audit().mismatch().isNone()).isFalse();
		this.store.repair();
		assertThat(this.store.take("holder")).extracting(Entry::id).containsExactly("skipped");
	}

	private List<Entry> pending(int count) {
		return States.pending(IntStream.range(0, count).mapToObj((number) -> "m" + number).toArray(String[]::new))
			.prepare(this.partition);
	}

	private List<Settled> acknowledge(List<Entry> entries) {
		return scripts.storeOf(this.partition).acknowledge(entries.toArray(Entry[]::new));
	}

	/** Compares the ids in the stream and the pending entries. */
	private void remaining(List<String> ids, List<Entry> pending) {
		StreamDump stream = this.partition.dump().stream();
		assertThat(stream.entries().values()).containsExactlyElementsOf(ids);
		assertThat(stream.pending().keySet())
			.containsExactlyInAnyOrderElementsOf(pending.stream().map(Entry::entry).toList());
	}

}
