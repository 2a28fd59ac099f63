package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.DuplicatePolicy.Kind;
import io.delayqueue.MessageKey;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The result of scheduling a known id, for each policy and each state of the existing
 * message.
 */
class DuplicatePolicyIntegrationTests extends KnownMessage {

	static Stream<Cell> table() {
		return Arrays.stream(Kind.values())
			.flatMap((kind) -> Arrays.stream(KnownState.values())
				.flatMap((state) -> Stream.of(new Cell(kind, state, null), new Cell(kind, state, "g"))))
			.filter((cell) -> cell.state() != KnownState.PARKED || cell.group() != null);
	}

	static Stream<Cell> acceptedOfTable() {
		return table().filter(Cell::isAccepted);
	}

	@ParameterizedTest
	@MethodSource("table")
	void theAnswerAndTheStoredStateFollowTheTable(Cell cell) {
		List<Entry> held = prepare(cell.state(), cell.group());
		PartitionDump before = this.partition.dump();
		long from = this.partition.now() + LIMIT.toMillis();

		Answer answer = this.store.schedule(message(cell)).get(0);

		assertThat(answer).isEqualTo(new Answer(cell.answer(), cell.isAccepted() ? this.requestedDue : 0, List.of()));
		PartitionDump after = this.partition.dump();
		if (cell.isAccepted()) {
			if (cell.kind() == Kind.POSTPONE) {
				assertThat(latest(after)).isBetween(from, this.partition.now() + LIMIT.toMillis());
			}
			assertThat(withoutLatest(after)).isEqualTo(expected(cell, held));
		}
		else {
			assertThat(after).isEqualTo(before);
		}
	}

	@ParameterizedTest
	@MethodSource("table")
	void aRepeatedCallChangesNothingAndAnswersTheSame(Cell cell) {
		prepare(cell.state(), cell.group());
		NewMessage message = message(cell);
		Answer answer = this.store.schedule(message).get(0);
		PartitionDump before = this.partition.dump();

		Answer again = this.store.schedule(message).get(0);

		assertThat(again).isEqualTo(answer);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@ParameterizedTest
	@MethodSource("acceptedOfTable")
	void aLateRepeatOfACallThatReplacedAMessageHasTheSameAnswer(Cell cell) {
		prepare(cell.state(), cell.group());
		NewMessage message = message(cell);
		Stored first = this.store.schedule(message).get(0).stored();
		boolean isCreated = first == Stored.CREATED;
		NewMessage next = TestMessages.onDuplicate(DuplicatePolicy.replace(),
				TestMessages.message("a", this.requestedDue + 1, cell.group(), NEW + 1));
		assertThat(this.store.schedule(next).get(0).stored()).isEqualTo(Stored.REPLACED);
		PartitionDump before = this.partition.dump();

		assertThat(this.store.schedule(message)).containsExactly(new Answer(isCreated ? Stored.SUPERSEDED : first,
				(cell.kind() == Kind.POSTPONE) ? -1 : this.requestedDue, List.of()));
		if (cell.state() != KnownState.NONE) {
			NewMessage known = TestMessages.message("a", States.DUE, cell.group(), 1);
			assertThat(this.store.schedule(known).get(0).stored()).isEqualTo(Stored.SUPERSEDED);
		}
		assertThat(this.partition.dump()).isEqualTo(before);

		this.store.cancel("a", 50);
		PartitionDump cancelled = this.partition.dump();
		assertThat(this.store.schedule(message, next)).extracting(Answer::stored)
			.containsExactly(isCreated ? Stored.ENDED : first, Stored.REPLACED);
		assertThat(this.partition.dump()).isEqualTo(cancelled);
	}

	@ParameterizedTest
	@CsvSource({ "REPLACE, ", "REPLACE, g", "POSTPONE, ", "POSTPONE, g" })
	void aSettlementOfTheOldDeliveryDoesNotCount(Kind kind, @Nullable String group) {
		Cell cell = new Cell(kind, KnownState.PENDING, group);
		List<BiFunction<TestStore, Entry, Settled>> settlements = List.of(
				(store, entry) -> store.acknowledge(entry).get(0), (store, entry) -> store.release(1, entry).get(0),
				(store, entry) -> store.retry(entry, "it broke"), (store, entry) -> store.retry(entry, null),
				(store, entry) -> store.deadLetter(entry, "it broke"));
		for (BiFunction<TestStore, Entry, Settled> settlement : settlements) {
			try (TestPartition other = TestPartition.shared()) {
				TestStore there = other.store().with(GroupStates.STRICT);
				Entry held = prepare(other, cell.state(), group).get(0);
				there.schedule(message(cell));
				PartitionDump before = other.dump();

				assertThat(settlement.apply(there, held)).isEqualTo(Settled.SUPERSEDED);

				PartitionDump after = other.dump();
				assertThat(after.stream().entries()).isEmpty();
				assertThat(after.stream().pending()).isEmpty();
				assertThat(after.withoutStream()).isEqualTo(before.withoutStream());
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "g" })
	void aMessageThatReplacesAPendingOneIsDeliveredToo(String name) {
		String group = name.isEmpty() ? null : name;
		Entry old = prepare(KnownState.PENDING, group).get(0);
		this.store.schedule(TestMessages.onDuplicate(DuplicatePolicy.replace(),
				TestMessages.message("a", States.DUE + 1, group, NEW)));

		Entry current = this.store.take("second").get(0);

		assertThat(Reply.text(current.record())).contains("payload of a by 7");
		assertThat(current.failures().attempts()).isZero();
		assertThat(this.store.acknowledge(old, current)).containsExactly(Settled.SUPERSEDED, Settled.COUNTED);
		assertThat(this.store.acknowledge(old)).containsExactly(Settled.GONE);
		assertThat(this.partition.dump().ids()).isEmpty();
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void anIdOfAnotherGroupIsNewAndChangesNothingOfThatGroup(Kind kind) {
		List<@Nullable String> groups = new ArrayList<>(Arrays.asList(null, "g", "h", "gh"));
		for (String known : groups) {
			for (String other : groups) {
				try (TestPartition there = TestPartition.shared()) {
					there.store().schedule(TestMessages.message("a", this.waiting, known, 1));
					PartitionDump before = there.dump();
					Stored stored = there.store()
						.schedule(TestMessages.onDuplicate(policy(kind),
								TestMessages.message("a", this.requestedDue, other, NEW)))
						.get(0)
						.stored();
					if (known != other) {
						assertThat(stored).as("%s in %s", other, known).isEqualTo(Stored.CREATED);
						there.store()
							.known()
							.cancel(there.store().candidate(new MessageKey("orders", "a", other)), CallToken.next(),
									Duration.ZERO);
						assertThat(there.dump().messages()).isEqualTo(before.messages());
						assertThat(Audit.order(there.dump(), there.now(), Set.of())).isEmpty();
					}
					else {
						assertThat(stored).isNotEqualTo(Stored.CREATED);
					}
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void aFinishedIdIsKnownOnlyInItsGroup(Kind kind) {
		List<@Nullable String> groups = new ArrayList<>(Arrays.asList(null, "g", "h", "gh"));
		for (String finished : groups) {
			for (String other : groups) {
				try (TestPartition there = TestPartition.shared()) {
					there.store().schedule(TestMessages.message("a", States.DUE, finished, 1));
					there.store().acknowledge(there.store().take("first").get(0));
					Stored stored = there.store()
						.schedule(TestMessages.onDuplicate(policy(kind),
								TestMessages.message("a", this.requestedDue, other, NEW)))
						.get(0)
						.stored();
					boolean isKnown = finished == other && (kind == Kind.KEEP || kind == Kind.FAIL);
					assertThat(stored).as("%s after %s", other, finished)
						.isEqualTo(isKnown ? Stored.DONE : Stored.CREATED);
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "REPLACE", "POSTPONE" })
	void aRefusalLeavesTheExistingMessageUnchanged(Kind kind) {
		prepare(KnownState.SCHEDULED, "g");
		Duration beyond = TestStore.MAX_DELAY.plusDays(1);
		NewMessage tooFar = TestMessages.onDuplicate(DuplicatePolicy.replace(), TestMessages.message("a",
				Due.in(beyond), new Envelope(TestMessages.token(NEW), "g", Map.of(), Reply.bytes("x"))));
		NewMessage expires = TestMessages.expiring(message(new Cell(kind, KnownState.SCHEDULED, "g")),
				Expiry.at(Instant.ofEpochMilli(this.requestedDue - 1)));
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(tooFar)).containsExactly(new Answer(Stored.TOO_FAR, 0, List.of()));
		assertThat(this.store.schedule(expires)).containsExactly(new Answer(Stored.EXPIRES, 0, List.of()));
		assertThat(this.partition.dump()).isEqualTo(before);

		this.store.control(Switch.DRAINING, true);
		before = this.partition.dump();
		assertThat(this.store.schedule(message(new Cell(kind, KnownState.SCHEDULED, "g"))))
			.containsExactly(new Answer(Stored.DRAINING, 0, List.of()));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void anIdTwiceInOneCallIsADuplicateWithAnyPolicy() {
		prepare(KnownState.SCHEDULED, "g");
		NewMessage one = message(new Cell(Kind.REPLACE, KnownState.SCHEDULED, "g"));
		NewMessage other = TestMessages.onDuplicate(DuplicatePolicy.replace(),
				TestMessages.message("a", this.requestedDue + 1, "g", NEW + 1));
		assertThat(this.store.schedule(one, other)).extracting(Answer::stored)
			.containsExactly(Stored.REPLACED, Stored.DUPLICATE);
		PartitionDump before = this.partition.dump();
		assertThat(before.scheduled()).containsEntry("a\1g", this.requestedDue);
		// A repeat of the call returns the same
		assertThat(this.store.schedule(one, other)).extracting(Answer::stored)
			.containsExactly(Stored.REPLACED, Stored.DUPLICATE);
		assertThat(this.partition.dump()).isEqualTo(before);
		this.store.schedule(TestMessages.onDuplicate(DuplicatePolicy.replace(),
				TestMessages.message("a", this.requestedDue + 2, "g", NEW + 2)));
		before = this.partition.dump();
		assertThat(this.store.schedule(one, other)).extracting(Answer::stored)
			.containsExactly(Stored.REPLACED, Stored.DUPLICATE);
		assertThat(this.partition.dump()).isEqualTo(before);
		this.store.cancel("a", 50);
		before = this.partition.dump();
		assertThat(this.store.schedule(one, other)).extracting(Answer::stored)
			.containsExactly(Stored.REPLACED, Stored.DUPLICATE);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@ParameterizedTest
	@EnumSource(names = { "READY", "PENDING" })
	void replacingAMessageUnparksTheNextOne(KnownState state) {
		prepare(state, "g");
		this.store.schedule(TestMessages.message("b", States.DUE, "g", 2));
		assertThat(this.store.sweep()).isZero();
		assertThat(this.partition.dump().locations("b")).containsExactly(Key.PARKED);

		Answers answers = this.store.schedule(this.store.partition(), this.store.settings(),
				List.of(message(new Cell(Kind.REPLACE, state, "g"))));

		assertThat(answers.unparked()).isEqualTo(1);
		assertThat(this.partition.dump().locations("b")).containsExactly(Key.SCHEDULED);
		assertThat(this.partition.dump().scheduled()).containsEntry("b\1g", States.DUE)
			.containsEntry("a\1g", this.requestedDue);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(),
				this.partition.dump().stream().pending().keySet()))
			.isEmpty();
	}

	@Test
	void theExpiryOfTheNewMessageReplacesTheOldOne() {
		prepare(KnownState.SCHEDULED, null);
		NewMessage message = message(new Cell(Kind.REPLACE, KnownState.SCHEDULED, null));
		this.store.schedule(TestMessages.expiring(message, Expiry.at(Instant.ofEpochMilli(this.requestedDue + 3))));
		assertThat(this.partition.dump().expiries())
			.isEqualTo(new ExpectedDump().expiry("a", this.requestedDue + 3 + "").build().expiries());
	}

}
