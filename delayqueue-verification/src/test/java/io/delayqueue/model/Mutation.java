package io.delayqueue.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.model.Scope.Feature;

/** The design with one fault each, and the properties that must detect it. */
enum Mutation {

	// Schedule

	SCHEDULE_KEEPS_STALE_ENTRY("schedule does not clear a left-over entry", Scope.of(2, 0, 1),
			Edit.in(Transition.SCHEDULE).without(Command.HDEL_ENTRIES, Command.XDEL, Command.XACK), Property.P2),

	REDRIVE_UNCHECKED_MEETS_STALE_DEAD("schedule does not clear a left-over dead letter, and redrive does not check it",
			Scope.of(2, 0, 1), Edit.in(Transition.SCHEDULE).without(Command.ZREM_DEAD), Property.P2),

	SCHEDULE_KEEPS_STALE_EXPIRY("schedule does not clear a left-over expiry", Scope.of(2, 0, 1, Feature.EXPIRY),
			Edit.in(Transition.SCHEDULE).without(Command.ZREM_EXPIRIES), Property.P1),

	CANCEL_LEAVES_NO_MARK("cancel does not mark a possible leftover expiry", Scope.of(2, 0, 1, Feature.EXPIRY),
			Edit.in(Transition.CANCEL).without(Command.HSETNX_FAILURES), Property.P1),

	SCHEDULE_KEEPS_STALE_FAILURES("schedule does not clear left-over counters", Scope.of(2, 0, 1),
			Edit.in(Transition.SCHEDULE).without(Command.HDEL_FAILURES), Property.P8),

	SCHEDULE_WRITES_RECORD_FIRST("schedule writes the record before the score", Scope.of(2, 0, 1),
			Edit.in(Transition.SCHEDULE).with(Command.HSET_MESSAGES, Command.ZADD_SCHEDULED), Property.P4),

	DUPLICATE_MEANS_MINE("a caller that repeats takes duplicate for its own message", Scope.of(2, 0, 1), Edit.NONE,
			Property.P1),

	// Replace and reschedule

	REPLACE_MOVES_EARLIER_FIRST("replace sets an earlier due time before the record", Scope.of(2, 0, 1),
			Edit.in(Transition.REPLACE).with(Command.ZADD_SCHEDULED, Command.HSET_MESSAGES), Property.P2),

	REPLACE_WRITES_RECORD_BEFORE_FENCE("replace writes the record before it removes the fence of the old entry",
			Scope.of(2, 0, 1), Edit.in(Transition.REPLACE).with(Command.HSET_MESSAGES, Command.HDEL_ENTRIES),
			Property.P2, Property.P3),

	REPLACE_WRITES_EXPIRY_FIRST("replace sets the expiry before the record", Scope.of(2, 0, 1, Feature.EXPIRY),
			Edit.in(Transition.REPLACE).with(Command.ZADD_EXPIRIES, Command.HSET_MESSAGES), Property.P1),

	REPLACE_KEEPS_ENTRY("replace does not remove the fence of the old entry", Scope.of(2, 0, 1),
			Edit.in(Transition.REPLACE).without(Command.HDEL_ENTRIES), Property.P3),

	REPLACE_REMOVES_OLD_EXPIRY_LAST("replace removes the old expiry after the record",
			Scope.of(3, 0, 1, Feature.EXPIRY),
			Edit.in(Transition.REPLACE).with(Command.HSET_MESSAGES, Command.ZREM_EXPIRIES), Property.P1),

	REPEAT_WRITES_NOTHING("a repeated replace trusts its own record and skips the writes after it", Scope.of(2, 0, 1),
			Edit.NONE, Property.P10),

	POSTPONE_KEEPS_ENTRY("postpone does not remove the fence of a pending entry", Scope.of(2, 0, 0, Feature.POSTPONE),
			Edit.in(Transition.POSTPONE).without(Command.HDEL_ENTRIES), Property.P3),

	POSTPONED_STAYS_READY("a ready message stays ready although it is postponed", Scope.of(2, 0, 0, Feature.POSTPONE),
			Edit.NONE, Property.P2),

	RESCHEDULE_MOVES_EXPIRY_LAST("reschedule moves the expiry to later after the record",
			Scope.of(2, 0, 1, Feature.EXPIRY),
			Edit.in(Transition.RESCHEDULE).with(Command.HSET_MESSAGES, Command.ZADD_EXPIRIES), Property.P1),

	RESCHEDULE_MOVES_PENDING("reschedule moves a pending message", Scope.of(2, 0, 0), Edit.NONE, Property.P6),

	// Cancel and the tombstones

	CANCEL_KEEPS_ENTRY("cancel leaves the fence", Scope.of(2, 0, 1),
			Edit.in(Transition.CANCEL).without(Command.HDEL_ENTRIES), Property.P4),

	CANCEL_CLEARS_ENTRY_FIRST("cancel removes the fence before the record", Scope.of(2, 0, 1),
			Edit.in(Transition.CANCEL).with(Command.HDEL_ENTRIES, Command.HDEL_MESSAGES), Property.P4),

	CANCEL_LEAVES_NO_TOMBSTONE("cancel leaves no tombstone", Scope.of(1, 1, 0),
			Edit.in(Transition.CANCEL).without(Command.ZADD_TOMBSTONE), Property.P6B),

	DISCARD_LEAVES_NO_TOMBSTONE("discard leaves no tombstone", Scope.of(1, 1, 0),
			Edit.in(Transition.DISCARD).without(Command.ZADD_TOMBSTONE), Property.P6B),

	REPLACE_LEAVES_NO_TOMBSTONE("replace leaves no tombstone", Scope.of(2, 1, 0),
			Edit.in(Transition.REPLACE).without(Command.ZADD_TOMBSTONE), Property.P6B, Property.P7),

	TOMBSTONE_BY_ID("the tombstone names the id and not the call", Scope.of(2, 1, 0), Edit.NONE, Property.P1),

	CANCEL_WRITES_TOMBSTONE_LAST("cancel removes the record before it leaves the tombstone", Scope.of(1, 1, 1),
			Edit.in(Transition.CANCEL).with(Command.HDEL_MESSAGES, Command.ZADD_TOMBSTONE), Property.P6B),

	REPLACE_WRITES_TOMBSTONE_LAST("replace overwrites the record before it leaves the tombstone", Scope.of(2, 1, 1),
			Edit.in(Transition.REPLACE).with(Command.HSET_MESSAGES, Command.ZADD_TOMBSTONE), Property.P6B),

	CANCEL_HAS_NO_MEMORY("a repeated cancel has no stored answer of its first run", Scope.of(3, 1, 0), Edit.NONE,
			Property.P11),

	CANCEL_TRUSTS_ITS_MEMORY("a repeated cancel does not check that its first run removed the record",
			Scope.of(2, 0, 1), Edit.NONE, Property.P6),

	DISCARD_HAS_NO_MEMORY("a repeated discard has no stored answer of its first run", Scope.of(3, 1, 0), Edit.NONE,
			Property.P11),

	DISCARD_TRUSTS_ITS_MEMORY("a repeated discard does not check that its first run removed the record",
			Scope.of(2, 0, 1), Edit.NONE, Property.P6),

	REDRIVE_HAS_NO_MEMORY("a repeated redrive has no stored answer of its first run", Scope.of(2, 1, 0), Edit.NONE,
			Property.P11),

	REDRIVE_REMEMBERS_FIRST("redrive stores its answer before the message is scheduled", Scope.of(2, 0, 1),
			Edit.in(Transition.REDRIVE).with(Command.ZADD_MEMORY, Command.ZADD_SCHEDULED), Property.P7),

	TOMBSTONE_ENDS_BEFORE_REPEATS("the window of a tombstone ends while its call may still be repeated",
			Scope.of(1, 1, 0), Edit.NONE, Property.P6B),

	// Sweep and read

	SWEEP_REMOVES_BEFORE_FENCE("sweep: ZREM scheduled before HSET entries", Scope.of(2, 0, 1),
			Edit.in(Transition.SWEEP).with(Command.ZREM_SCHEDULED, Command.HSET_ENTRIES), Property.P4),

	SWEEP_REMOVES_FIRST("sweep: ZREM scheduled first", Scope.of(2, 0, 1),
			Edit.in(Transition.SWEEP).with(Command.ZREM_SCHEDULED, Command.XADD), Property.P4),

	READ_UNCHECKED("a consumer does not compare the entry with the fence", Scope.of(2, 0, 1), Edit.NONE, Property.P2,
			Property.P6),

	READ_FENCE_BEFORE_RECORD("HMGET entries before HMGET messages", Scope.of(2, 0, 1), Edit.NONE, Property.P2),

	NO_LEASE_GUARD("a consumer that stood still starts the handler", Scope.of(2, 1, 0), Edit.NONE, Property.P6),

	// Hang and refuse

	HANGING_IS_NOT_ABANDONED("a hanging handler is waited for instead of abandoned", Scope.of(1, 1, 0, Feature.HANGS),
			Edit.NONE, Property.P5),

	ABANDONED_LEASE_IS_NOT_RENEWED(
			"the lease of a handler that was abandoned is not renewed until the message is settled",
			Scope.of(1, 1, 0, Feature.HANGS), Edit.NONE, Property.P12),

	RECLAIM_BEFORE_HEARTBEATS("messages are reclaimed before the heartbeats that Redis has refused",
			Scope.of(1, 1, 0, Feature.REFUSALS), Edit.NONE, Property.P12),

	// Settle

	NO_FENCE("a settlement does not check the fence", Scope.of(2, 0, 1), Edit.NONE, Property.P1, Property.P3),

	ACKNOWLEDGE_CLEARS_ENTRY_FIRST("acknowledge removes the fence before the record", Scope.of(2, 0, 1),
			Edit.in(Transition.ACKNOWLEDGE).with(Command.HDEL_ENTRIES, Command.ZADD_DONE), Property.P4),

	ACKNOWLEDGE_FINISHES_BEFORE_DONE("acknowledge removes the record before it stores the id in done",
			Scope.of(1, 1, 1), Edit.in(Transition.ACKNOWLEDGE).with(Command.HDEL_MESSAGES, Command.ZADD_DONE),
			Property.P9),

	ACKNOWLEDGE_LEAVES_NO_TOMBSTONE("acknowledge leaves no tombstone", Scope.of(1, 1, 0), Edit.NONE, Property.P9),

	REPEATED_RETRY_COUNTS("a repeated retry counts its failure again", Scope.of(1, 0, 1), Edit.NONE, Property.P8),

	RETRY_CLEARS_ENTRY_FIRST("retry and release remove the fence before the new score is set", Scope.of(2, 0, 1),
			Edit.in(Transition.RETRY, Transition.RELEASE).with(Command.HDEL_ENTRIES, Command.ZADD_SCHEDULED),
			Property.P4),

	XACK_BEFORE_XDEL("settlements: XACK before XDEL", Scope.of(2, 0, 1),
			Edit.in(Transition.ACKNOWLEDGE, Transition.RETRY, Transition.DEAD_LETTER, Transition.RELEASE,
					Transition.RECLAIM)
				.with(Command.XACK, Command.XDEL),
			Property.P5),

	SUPERSEDED_ON_REPEAT("a consumer that repeats a settlement believes superseded", Scope.of(2, 1, 0), Edit.NONE,
			Property.P7);

	private final String sentence;

	private final Scope scope;

	private final Edit edit;

	private final Set<Property> caughtBy;

	Mutation(String sentence, Scope scope, Edit edit, Property... caughtBy) {
		this.sentence = sentence;
		this.scope = scope;
		this.edit = edit;
		this.caughtBy = EnumSet.copyOf(List.of(caughtBy));
	}

	/** The smallest scope that reveals the fault. */
	Scope scope() {
		return this.scope.with(this);
	}

	Set<Property> caughtBy() {
		return this.caughtBy;
	}

	List<Write> edit(Transition script, List<Write> writes) {
		return this.edit.of(script, writes);
	}

	@Override
	public String toString() {
		return this.sentence;
	}

}
