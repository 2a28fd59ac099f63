package io.delayqueue.model;

import java.util.List;
import java.util.Set;

import io.delayqueue.model.EpochScope.Setting;

/** The design of epochs with one fault each, and the properties that must detect it. */
enum EpochMutation {

	BLIND_DIRECTORY("the epochs are written without a comparison", EpochScope.of(1, 3, 2), Property.P1, Property.E1),

	OPEN_SAYS_ELSEWHERE("a partition that is not closed answers 'elsewhere'", EpochScope.of(1, 2, 2, Setting.EARLY),
			Property.E1),

	OPEN_BEFORE_CURRENT("an epoch becomes the current one before older partitions are closed",
			EpochScope.of(1, 2, 2, Setting.GENERATED, Setting.CANCEL), Property.P7, Property.E1),

	CLOSED_CREATES("a closed partition stores any message", EpochScope.of(1, 2, 2), Property.P1, Property.E1),

	NEWEST_FIRST("a call asks the newest epoch alone", EpochScope.of(1, 2, 2), Property.E1),

	DEAD_NOT_HELD("a dead letter does not hold its group", EpochScope.of(3, 2, 3), Property.E1, Property.E2,
			Property.G1),

	DEAD_NOT_SHOWN("a dead letter of the first release has no member before its partition is closed",
			EpochScope.of(2, 2, 2, Setting.OLD_RELEASE), Property.E1, Property.G1),

	MARK_HOLDS("a finished id holds itself", EpochScope.of(2, 2, 3, Setting.REPLACE), Property.E1, Property.G1),

	MARK_SILENT("a closed partition does not answer from its windows", EpochScope.of(1, 2, 1).failing(1, 0),
			Property.P9, Property.E3),

	CONTROL_ENDS("the control key ends with its epoch", EpochScope.of(1, 2, 2), Property.P1, Property.E1),

	OPEN_ENDS("an epoch ends although a partition is not closed", EpochScope.of(1, 2, 2, Setting.EARLY), Property.P1,
			Property.E1),

	HOLDING_ENDS("an epoch ends although it has messages", EpochScope.of(1, 2, 1), Property.P1, Property.E4),

	REMEMBERING_ENDS("an epoch ends although its windows are open", EpochScope.of(1, 2, 1).failing(1, 0), Property.P9,
			Property.E3, Property.E4),

	CARRY_WITHOUT_MARK("dead letters are carried from a partition that still changes them", EpochScope.of(1, 2, 1),
			Property.E1, Property.E3),

	CARRY_REMOVES_FIRST("dead letters are removed before they are copied", EpochScope.of(1, 2, 1), Property.P1),

	CARRY_OPEN("dead letters are carried from a partition that is not closed", EpochScope.of(1, 2, 2, Setting.EARLY),
			Property.E1),

	CARRY_BESIDE_LIVE("dead letters are carried while other messages wait there", EpochScope.of(2, 2, 2), Property.G1),

	CARRY_FORGETS_ENDS("a dead letter is copied although it has ended in the newer epoch",
			EpochScope.of(1, 2, 1, Setting.TWO_CARRIERS), Property.P9, Property.E3),

	CARRY_LEAVES_NO_TRACE("a copied dead letter is remembered as long as any other message that has ended",
			EpochScope.of(1, 2, 1, Setting.TWO_CARRIERS), Property.P9, Property.E3),

	CARRY_INTO_CLOSED("a closed partition takes any dead letter", EpochScope.of(1, 3, 1), Property.P1, Property.E4),

	CARRY_SKIPS_EPOCHS("dead letters are carried to the newest epoch without asking those in between",
			EpochScope.of(1, 3, 2, Setting.EARLY), Property.E1),

	OLD_RELEASE_WRITES("the first release is not refused", EpochScope.of(1, 2, 2, Setting.OLD_RELEASE), Property.P1,
			Property.E1);

	private final String fault;

	private final EpochScope scope;

	private final Set<Property> caughtBy;

	EpochMutation(String fault, EpochScope scope, Property... caughtBy) {
		this.fault = fault;
		this.scope = scope;
		this.caughtBy = Set.copyOf(List.of(caughtBy));
	}

	/** The bounds that suffice to find the fault. */
	EpochScope scope() {
		return this.scope.with(this);
	}

	Set<Property> caughtBy() {
		return this.caughtBy;
	}

	@Override
	public String toString() {
		return this.fault;
	}

}
