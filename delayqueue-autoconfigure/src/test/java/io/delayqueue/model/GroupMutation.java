package io.delayqueue.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.model.GroupScope.Setting;

/** The design of groups with one thing wrong, and the properties that must notice. */
enum GroupMutation {

	CLIENT_COUNTS("the client counts the group before it calls", GroupScope.of(2, 2).quota(1).with(Setting.DUE_AT_ONCE),
			Property.G1),

	RECORD_BEFORE_GROUP("schedule writes the record before the group",
			GroupScope.of(1, 1).failing(0, 1).with(Setting.DUE_AT_ONCE), Property.G3),

	DROP_BEFORE_RECORD("the oldest is dropped before the record that needs its place is written",
			GroupScope.of(2, 2).failing(0, 1).quota(1).with(Setting.DROP_OLDEST), Property.P1),

	DROP_TAKES_ACTIVE("the oldest is dropped though a consumer has it",
			GroupScope.of(2, 2).quota(1).with(Setting.DROP_OLDEST, Setting.DUE_AT_ONCE), Property.G6),

	OLDEST_MAY_BE_ITSELF("the oldest that is dropped may be what a stopped cancel has left of the new message",
			GroupScope.of(1, 2)
				.failing(0, 1)
				.quota(1)
				.with(Setting.DROP_OLDEST, Setting.DUE_AT_ONCE)
				.asking(Transition.CANCEL),
			Property.P1),

	SCHEDULE_KEEPS_STALE_MEMBERS("schedule does not clear what its id has left in the group",
			GroupScope.of(1, 2).failing(0, 1).quota(2).limit(1).asking(Transition.CANCEL), Property.P8),

	REPLACE_KEEPS_ENTRY("replace keeps the entry of a pending message",
			GroupScope.of(1, 2).asking(Transition.REPLACE).with(Setting.DUE_AT_ONCE), Property.P3),

	REPLACE_WRITES_GROUP_FIRST("replace writes the due time beside the group before the place",
			GroupScope.of(2, 3).failing(0, 1).limit(1).asking(Transition.REPLACE), Property.P4),

	REPAIR_LEAVES_THE_SCHEDULED("repair leaves what is scheduled its place under the limit",
			GroupScope.of(1, 2).failing(0, 1).limit(1).asking(Transition.REPLACE), Property.G3),

	POSTPONED_READY_FREES_PLACE("postpone frees the place of what stays ready",
			GroupScope.of(2, 3).limit(1).asking(Transition.POSTPONE).with(Setting.DUE_AT_ONCE), Property.G2,
			Property.G3),

	POSTPONED_READY_KEEPS_ITS_TURN("postpone lets what is ready keep its turn before what is due earlier now",
			GroupScope.of(2, 3).limit(1).with(Setting.STRICT).asking(Transition.POSTPONE), Property.G7),

	PARK_REMOVES_FIRST("sweep takes what it parks out of the due times first",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.P4),

	UNPARK_REMOVES_FIRST("what is parked is removed before it is scheduled",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.P4),

	UNPARK_IGNORES_ENTRIES("what has an entry is scheduled again because it was parked",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.P4),

	SWEEP_CLAIMS_PLACE_LAST("sweep takes the place after the entry",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.G2),

	SWEEP_DOES_NOT_LOOK("sweep does not look for what is parked",
			GroupScope.of(2, 2).failing(0, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.G4),

	SWEEP_FORGETS_THE_PARKED("sweep gives a place to what is due later than what is parked",
			GroupScope.of(3, 3).failing(0, 1).limit(1).with(Setting.STRICT), Property.G7),

	SWEEP_GOES_BY_SCORE("sweep gives places by the score and not by the due time",
			GroupScope.of(2, 2).limit(1).with(Setting.STRICT).asking(Transition.REDRIVE), Property.G7),

	STRICT_RETRY_FREES_PLACE("a retry frees its place in a strict group",
			GroupScope.of(2, 2).limit(1).with(Setting.STRICT), Property.G7),

	RETRY_KEEPS_PLACE("a retry keeps its place in a group that is not strict", GroupScope.of(2, 2).limit(1),
			Property.G3),

	SETTLEMENT_KEEPS_PLACE("what is finished keeps its place under the limit",
			GroupScope.of(1, 1).limit(1).with(Setting.DUE_AT_ONCE), Property.G3),

	SUPERSEDED_FREES_PLACE("the settlement of an old delivery frees the place of the new one",
			GroupScope.of(2, 3).limit(1).asking(Transition.REPLACE).with(Setting.DUE_AT_ONCE), Property.G2,
			Property.G3),

	DEAD_KEEPS_PLACE("a dead letter keeps its place in the quota", GroupScope.of(1, 1).quota(1), Property.G3),

	REDRIVE_TAKES_NO_PLACE("redrive takes no place", GroupScope.of(1, 1).quota(1).asking(Transition.REDRIVE),
			Property.G3),

	REDRIVE_TAKES_PLACE_FIRST("redrive takes the place before it schedules",
			GroupScope.of(1, 1).failing(0, 1).quota(1).asking(Transition.REDRIVE), Property.G3),

	REDRIVE_DOES_NOT_COUNT("redrive does not look whether there is room",
			GroupScope.of(2, 2).quota(1).asking(Transition.REDRIVE), Property.G1);

	private final String sentence;

	private final GroupScope scope;

	private final Set<Property> caughtBy;

	GroupMutation(String sentence, GroupScope scope, Property... caughtBy) {
		this.sentence = sentence;
		this.scope = scope;
		this.caughtBy = EnumSet.copyOf(List.of(caughtBy));
	}

	/** The smallest scope in which it shows. */
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
