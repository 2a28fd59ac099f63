package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.GroupMessage;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.KnownMessages.CancelAnswer;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages.MoveAnswer;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Parked messages can be cancelled, rescheduled, purged, found and listed like all other
 * messages.
 */
class ParkedIntegrationTests extends OrderedGroup {

	@Test
	void aParkedMessageIsCancelledWithoutRemains() {
		parkedBehindA();
		CancelAnswer answer = this.strict.known()
			.cancel(this.strict.candidate(TestMessages.key("b")), TestMessages.token(50), TestStore.WINDOW);
		assertThat(answer).isEqualTo(new CancelAnswer(Cancelled.CANCELLED, 0));
		assertThat(this.partition.dump().withoutTimes()).isEqualTo(withA("c", DUE + 2).parked("c", DUE + 2, GROUP)
			.done("\0" + token("b"), 0)
			.done("cancelled\0" + TestMessages.token(50), 0)
			.build());
	}

	@Test
	void aParkedMessageIsCancelledOnlyWithItsGroup() {
		parkedBehindA();
		PartitionDump before = this.partition.dump();
		assertThat(this.strict.known()
			.cancel(this.strict.candidate(TestMessages.key("b").inGroup("h")), TestMessages.token(50), TestStore.WINDOW)
			.cancelled()).isEqualTo(Cancelled.NONE);
		assertThat(this.strict.known()
			.reschedule(this.strict.candidate(TestMessages.key("b").inGroup("h")), Due.in(Duration.ZERO),
					TestStore.MAX_DELAY, TestMessages.token(51), TestStore.WINDOW)
			.moved()).isEqualTo(Moved.NONE);
		assertThat(this.strict.find(TestMessages.key("b").inGroup("h"))).isEmpty();
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.strict.find(TestMessages.key("b").inGroup(GROUP))).isPresent();
		assertThat(this.strict.known()
			.cancel(this.strict.candidate(TestMessages.key("b").inGroup(GROUP)), TestMessages.token(50),
					TestStore.WINDOW)
			.cancelled()).isEqualTo(Cancelled.CANCELLED);
	}

	@Test
	void aParkedMessageIsRescheduled() {
		parkedBehindA();
		MoveAnswer moved = this.strict.reschedule("b", FAR);
		assertThat(moved).isEqualTo(new MoveAnswer(Moved.RESCHEDULED, FAR, moved.nowMicros(), true, 0));
		PartitionDump after = this.partition.dump();
		assertThat(after.withoutTimes().withoutStream().groups())
			.isEqualTo(withA("b", FAR, "c", DUE + 2).parked("c", DUE + 2, GROUP).build().groups());
		assertThat(after.scheduled()).isEqualTo(Map.of("b\1g", FAR));
		assertThat(MessageRecord.from(Reply.bytes(after.messages().get("b\1g"))).dueMillis()).isEqualTo(FAR);
		// The new due time of b is before that of c
		this.strict.reschedule("b", DUE - 5);
		assertThat(sweep(this.strict).parked()).isEqualTo(1);
		this.strict.acknowledge(current("a"));
		assertThat(handleAll(this.strict)).containsExactly("b", "c");
	}

	@Test
	void onlyTheGivenGroupIsPurged() {
		parkedBehindA();
		this.strict.schedule(TestMessages.message("h", DUE, "h", 7), TestMessages.message("none", DUE, 8));
		schedule("far", FAR);
		String entry = current("a").entry();
		Purged purged = this.strict.repeating(60).purgeGroup(GROUP, "a", "b", "c", "h", "none", "far", "unknown");
		assertThat(purged).isEqualTo(new Purged(7, 3, 1, 0));
		PartitionDump expected = new ExpectedDump()
			.record("h", "1%016d%s".formatted(DUE, Reply.text(TestMessages.message("h", DUE, "h", 7).envelope())))
			.scheduled("h", DUE)
			.grouped("h", DUE, "h")
			.message("none", DUE, 8)
			.scheduled("none", DUE)
			.supersededPending("a\1g", entry, "holder")
			.done("\0" + token("a"), 0)
			.done("\0" + token("b"), 0)
			.done("\0" + token("c"), 0)
			.done("looked\0" + TestMessages.token(60), 0)
			.done("waited\0" + TestMessages.token(60), 0)
			.done("held\0" + TestMessages.token(60), 0)
			.done("\0" + token("far"), 0)
			.build();
		assertThat(this.partition.dump().withoutTimes()).isEqualTo(expected);
	}

	@Test
	void parkedMessagesAreFoundListedAndCounted() {
		parkedBehindA();
		park("x", "a-group", DUE + 9);
		Optional<MessageSnapshot> found = this.strict.find(TestMessages.key("b"));
		assertThat(found).map(MessageSnapshot::state).contains(MessageState.PARKED);
		assertThat(found).map(MessageSnapshot::group).contains(GROUP);
		assertThat(this.strict.snapshots().of(this.strict.partition()).parked()).isEqualTo(3);
		assertThat(this.strict.audit().parked()).isEqualTo(3);
		assertThat(this.strict.audit().mismatch().isNone()).isTrue();

		List<Listed> listed = new ArrayList<>();
		Pages.Position from = Pages.Position.BEGIN;
		while (from != null) {
			Pages.Page page = this.strict.pages().list(this.strict.partition(), MessageState.PARKED, from, 1);
			assertThat(page.messages()).hasSize(1);
			listed.addAll(page.messages());
			from = page.next();
		}
		assertThat(listed).extracting(Listed::id).containsExactly("x", "b", "c");
		assertThat(listed).extracting(Listed::atMillis).containsExactly(DUE + 9, DUE + 1, DUE + 2);
	}

	/** As a script that stopped half-way leaves it. */
	@Test
	void aPendingMessageWithALeftOverPlaceAmongTheParkedOnesIsNotScheduledAgain() {
		TestStore two = this.partition.store().with(new GroupSettings(0, false, false, 2, null, null, Map.of()));
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2);
		assertThat(two.take("holder")).hasSize(2);
		this.partition.command("ZADD", Key.PARKED, "0", GroupDump.member(GROUP, DUE + 1, "b"));

		two.acknowledge(current("a"));

		assertThat(this.partition.dump().scheduled()).doesNotContainKey("b\1g");
		two.acknowledge(current("b"));
		assertThat(handleAll(two)).containsExactly("c");
	}

	@Test
	void aGroupIsListedByDueTimeWithTheStateOfEachMessage() {
		TestStore counting = this.partition.store().with(new GroupSettings(0, false, true, 2, null, null, Map.of()));
		schedule("dead", DUE, "pending", DUE + 1);
		for (Entry held : counting.take("holder")) {
			if (held.id().equals("dead")) {
				counting.deadLetter(held, "it broke");
			}
		}
		schedule("ready", DUE + 2, "parked", DUE + 3, "far", FAR);
		counting.schedule(TestMessages.message("other", DUE, "gg", 9));
		counting.sweep();
		List<GroupMessage> all = counting.groups().list(counting.partition(), GROUP, null, 100).messages();
		assertThat(all).extracting((message) -> message.id() + " " + message.state())
			.containsExactly("dead DEAD", "pending PENDING", "ready READY", "parked PARKED", "far SCHEDULED");
		assertThat(all).extracting((message) -> message.dueAt().toEpochMilli())
			.containsExactly(DUE, DUE + 1, DUE + 2, DUE + 3, FAR);
		assertThat(counting.groups().count(counting.partition(), GROUP)).isEqualTo(5);

		Groups.Page first = counting.groups().list(counting.partition(), GROUP, null, 2);
		assertThat(first.messages()).isEqualTo(all.subList(0, 2));
		counting.cancel("pending", 50);
		Groups.Page second = counting.groups().list(counting.partition(), GROUP, first.next(), 2);
		assertThat(second.messages()).extracting(GroupMessage::id).containsExactly("ready", "parked");
		Groups.Page third = counting.groups().list(counting.partition(), GROUP, second.next(), 1);
		assertThat(third.messages()).isEqualTo(all.subList(4, 5));
		assertThat(third.next()).isNull();
		assertThat(counting.groups().list(counting.partition(), "unknown", null, 2).messages()).isEmpty();
	}

	/** Message a is pending, b and c are parked. */
	private void parkedBehindA() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2);
		this.strict.take("holder");
	}

	/** The content for message a and further ones. */
	private ExpectedDump withA(Object... idsAndDues) {
		return messages(idsAndDues).record("a", record("a", DUE))
			.grouped("a", DUE, GROUP)
			.pending("a", current("a").entry(), "holder")
			.active("a", GROUP);
	}

}
