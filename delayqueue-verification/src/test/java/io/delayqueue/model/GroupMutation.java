package io.delayqueue.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.model.GroupScope.Setting;

/** The design of groups with one fault each, and the properties that must detect it. */
enum GroupMutation {

	CLIENT_COUNTS("the client counts the group before it calls", GroupScope.of(2, 2).quota(1).with(Setting.DUE_AT_ONCE),
			Property.G1),

	RECORD_BEFORE_GROUP("schedule writes the record before the group",
			GroupScope.of(1, 1).failing(0, 1).with(Setting.DUE_AT_ONCE), Property.G3),

	DROP_BEFORE_RECORD("the oldest is dropped before the record that needs its slot is written",
			GroupScope.of(2, 2).failing(0, 1).quota(1).with(Setting.DROP_OLDEST), Property.P1),

	DROP_TAKES_ACTIVE("the oldest is dropped although a consumer has it",
			GroupScope.of(2, 2).quota(1).with(Setting.DROP_OLDEST, Setting.DUE_AT_ONCE), Property.G6),

	OLDEST_MAY_BE_ITSELF("the oldest may be a leftover of a stopped cancel of the new message",
			GroupScope.of(1, 2)
				.failing(0, 1)
				.quota(1)
				.with(Setting.DROP_OLDEST, Setting.DUE_AT_ONCE)
				.allowing(Transition.CANCEL),
			Property.P1),

	SCHEDULE_KEEPS_STALE_MEMBERS("schedule does not clear the leftovers of its id in the group",
			GroupScope.of(1, 2).failing(0, 1).quota(2).limit(1).allowing(Transition.CANCEL), Property.P8),

	REPLACE_KEEPS_ENTRY("replace keeps the entry of a pending message",
			GroupScope.of(1, 2).allowing(Transition.REPLACE).with(Setting.DUE_AT_ONCE), Property.P3),

	REPLACE_WRITES_GROUP_FIRST("replace writes the due time beside the group before the score",
			GroupScope.of(2, 3).failing(0, 1).limit(1).allowing(Transition.REPLACE), Property.P4),

	REPAIR_LEAVES_SCHEDULED_SLOT("repair leaves a scheduled message its slot of the limit",
			GroupScope.of(1, 2).failing(0, 1).limit(1).allowing(Transition.REPLACE), Property.G3),

	POSTPONED_READY_FREES_SLOT("postpone frees the slot of a message that stays ready",
			GroupScope.of(2, 3).limit(1).allowing(Transition.POSTPONE).with(Setting.DUE_AT_ONCE), Property.G2,
			Property.G3),

	POSTPONED_READY_KEEPS_ITS_TURN(
			"postpone keeps the turn of a ready message before messages that are due earlier now",
			GroupScope.of(2, 3).limit(1).with(Setting.STRICT).allowing(Transition.POSTPONE), Property.G7),

	PARK_REMOVES_FIRST("sweep removes the messages that it parks from the due times first",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.P4),

	UNPARK_REMOVES_FIRST("unpark removes a message from the parked ones before it schedules it",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.P4),

	UNPARK_IGNORES_ENTRIES("a message with an entry is scheduled again because it was parked",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.P4),

	SWEEP_CLAIMS_SLOT_LAST("sweep takes the slot after the entry",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.G2),

	SWEEP_DOES_NOT_UNPARK("sweep does not unpark messages",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.G4),

	SWEEP_IGNORES_PARKED("sweep gives a slot to a message that is due later than a parked one",
			GroupScope.of(3, 3).failing(0, 1).limit(1).with(Setting.STRICT), Property.G7),

	SWEEP_GOES_BY_SCORE("sweep gives slots by the score and not by the due time",
			GroupScope.of(2, 2).limit(1).with(Setting.STRICT).allowing(Transition.REDRIVE), Property.G7),

	STRICT_RETRY_FREES_SLOT("a retry frees its slot in a strict group",
			GroupScope.of(2, 2).limit(1).with(Setting.STRICT), Property.G7),

	RETRY_KEEPS_SLOT("a retry keeps its slot in a group that is not strict", GroupScope.of(2, 2).limit(1), Property.G3),

	SETTLEMENT_KEEPS_SLOT("a finished message keeps its slot of the limit",
			GroupScope.of(1, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.G3),

	SUPERSEDED_FREES_SLOT("the settlement of an old delivery frees the slot of the new one",
			GroupScope.of(2, 3).limit(1).allowing(Transition.REPLACE).with(Setting.DUE_AT_ONCE), Property.G2,
			Property.G3),

	DEAD_KEEPS_SLOT("a dead letter keeps its slot of the quota", GroupScope.of(1, 1).quota(1), Property.G3),

	REDRIVE_TAKES_NO_SLOT("redrive takes no slot", GroupScope.of(1, 1).quota(1).allowing(Transition.REDRIVE),
			Property.G3),

	REDRIVE_TAKES_SLOT_FIRST("redrive takes the slot before it schedules",
			GroupScope.of(1, 1).failing(0, 1).quota(1).allowing(Transition.REDRIVE), Property.G3),

	REDRIVE_DOES_NOT_COUNT("redrive does not check the quota",
			GroupScope.of(2, 2).quota(1).allowing(Transition.REDRIVE), Property.G1);

	private final String sentence;

	private final GroupScope scope;

	private final Set<Property> caughtBy;

	GroupMutation(String sentence, GroupScope scope, Property... caughtBy) {
		this.sentence = sentence;
		this.scope = scope;
		this.caughtBy = EnumSet.copyOf(List.of(caughtBy));
	}

	/** The smallest scope that reveals the fault. */
	GroupScope scope() {
		return this.scope.with(this);
	}

	Set<Property> caughtBy() {
		return this.caughtBy;
	}

	@Override
	public String toString() {
		return this.sentence;
	}

}
