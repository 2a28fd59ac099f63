package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.DuplicatePolicy.Kind;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * An existing message in any state, and a new one with the same id.
 */
abstract class KnownMessage {

	static final Duration LIMIT = Duration.ofDays(1);

	static final int NEW = 7;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	final TestStore store = this.partition.store().with(GroupStates.STRICT);

	/**
	 * The due time of the new message; an existing one that is not due yet is due
	 * earlier.
	 */
	final long requestedDue = this.partition.now() + Duration.ofHours(2).toMillis();

	final long waiting = this.requestedDue - Duration.ofHours(1).toMillis();

	/** The state of the existing message. */
	enum KnownState {

		NONE, SCHEDULED, PARKED, READY, PENDING, DEAD, DONE

	}

	/**
	 * A cell of the table.
	 *
	 * @param kind the policy
	 * @param state the state of the existing message
	 * @param group the group of both messages
	 */
	record Cell(Kind kind, KnownState state, @Nullable String group) {

		Stored answer() {
			return switch (this.state) {
				case NONE -> Stored.CREATED;
				case SCHEDULED, PARKED, READY, PENDING -> switch (this.kind) {
					case KEEP -> Stored.DUPLICATE;
					case FAIL -> Stored.valueOf(this.state.name());
					case REPLACE -> Stored.REPLACED;
					case POSTPONE -> Stored.POSTPONED;
				};
				case DEAD -> (this.kind == Kind.REPLACE) ? Stored.REPLACED : Stored.DEAD;
				case DONE -> (this.kind == Kind.KEEP || this.kind == Kind.FAIL) ? Stored.DONE : Stored.CREATED;
			};
		}

		boolean isAccepted() {
			return List.of(Stored.CREATED, Stored.REPLACED, Stored.POSTPONED).contains(answer());
		}

	}

	List<Entry> prepare(KnownState state, @Nullable String group) {
		return prepare(this.partition, state, group);
	}

	/**
	 * Creates a message in that state that has failed before and has an expiry; returns
	 * the held entries.
	 */
	List<Entry> prepare(TestPartition there, KnownState state, @Nullable String group) {
		TestStore store = there.store().with(GroupStates.STRICT);
		if (state == KnownState.NONE) {
			return List.of();
		}
		if (state == KnownState.PARKED) {
			store.schedule(TestMessages.message("0", States.DUE - 1, group, 0));
		}
		NewMessage first = TestMessages.message("a", (state == KnownState.SCHEDULED) ? this.waiting : States.DUE, group,
				1);
		store.schedule(TestMessages.expiring(first, Expiry.after(States.LIFE)));
		there.command("HSET", Key.FAILURES, "a", States.FAILED_TWICE);
		if (state == KnownState.SCHEDULED) {
			return List.of();
		}
		store.sweep();
		if (state == KnownState.READY) {
			return List.of();
		}
		List<Entry> held = store.read("holder");
		if (state == KnownState.DEAD) {
			store.deadLetter(held.get(0), "it broke");
		}
		if (state == KnownState.DONE) {
			store.acknowledge(held.get(0));
		}
		return held;
	}

	/** The expected content after the new message was accepted. */
	PartitionDump expected(Cell cell, List<Entry> held) {
		String group = cell.group();
		ExpectedDump dump = new ExpectedDump();
		dump.record("a", record(cell)).scheduled("a", this.requestedDue);
		if (group != null) {
			dump.grouped("a", this.requestedDue, group);
		}
		if (cell.state() != KnownState.NONE) {
			dump.done("\0" + TestMessages.token(1), 0);
		}
		if (cell.answer() != Stored.CREATED) {
			dump.done(cell.answer().name().toLowerCase(Locale.ROOT) + "\0" + TestMessages.token(NEW), 0);
		}
		switch (cell.state()) {
			case PARKED -> {
				NewMessage other = TestMessages.message("0", States.DUE - 1, group, 0);
				dump.record("0", "1%016d%s".formatted(States.DUE - 1, Reply.text(other.envelope())))
					.pending("0", held.get(0).entry(), "holder")
					.grouped("0", States.DUE - 1, group)
					.active("0", group);
			}
			case PENDING -> dump.supersededPending("a", held.get(0).entry(), "holder");
			case DEAD -> dump.delivered(held.get(0).entry());
			case DONE -> dump.delivered(held.get(0).entry()).done(TestMessages.stored("a", group), 0);
			default -> {
			}
		}
		return dump.build();
	}

	NewMessage message(Cell cell) {
		return TestMessages.onDuplicate(policy(cell.kind()),
				TestMessages.message("a", this.requestedDue, cell.group(), NEW));
	}

	static DuplicatePolicy policy(Kind kind) {
		return switch (kind) {
			case KEEP -> DuplicatePolicy.keep();
			case FAIL -> DuplicatePolicy.fail();
			case REPLACE -> DuplicatePolicy.replace();
			case POSTPONE -> DuplicatePolicy.postpone(LIMIT);
		};
	}

	private String record(Cell cell) {
		return "1%016d%s".formatted(this.requestedDue, Reply.text(message(cell).envelope()));
	}

	/** The latest time to which the message may be postponed, from its record. */
	static long latest(PartitionDump dump) {
		return Long.parseLong(dump.messages().get(dump.stored("a")).substring(39, 55));
	}

	/** Without times that depend on the call. */
	static PartitionDump withoutLatest(PartitionDump dump) {
		PartitionDump without = dump.withoutTimes();
		without.messages()
			.computeIfPresent(dump.stored("a"),
					(id, record) -> record.replaceFirst("^(.{28}\\{\"latest\":\")\\d{16}", "$1" + "0".repeat(16)));
		return without;
	}

}
