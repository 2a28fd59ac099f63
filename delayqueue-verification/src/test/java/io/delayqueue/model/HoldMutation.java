package io.delayqueue.model;

/** The design of holds with one fault each, and the property that must detect it. */
enum HoldMutation {

	READ_IGNORES_QUEUE("a read delivers messages of a held queue", Property.H1),

	READ_IGNORES_GROUP("a read does not mark messages of a held group", Property.H1),

	HOLD_BEFORE_CONTROL("a hold is written before its end in control", Property.H1),

	LAST_HOLD_COUNTS("control names the end of the last hold and not the latest end", Property.H1),

	RELEASE_OF_ONE_ENDS_ALL("the release of a group removes the latest end of all holds", Property.H1),

	ANY_END_ENDS_ALL("all holds are removed when that of the queue has ended", Property.H1),

	RELEASE_LEAVES_PARKED("a release leaves the time from which parked messages go on", Property.H2),

	PARK_REMOVES_FIRST("a sweep removes the messages that it parks from the due times first", Property.P4),

	RESUME_REMOVES_FIRST("a sweep removes the messages that it resumes from the parked ones first", Property.P4);

	private final String fault;

	private final Property caughtBy;

	HoldMutation(String fault, Property caughtBy) {
		this.fault = fault;
		this.caughtBy = caughtBy;
	}

	Property caughtBy() {
		return this.caughtBy;
	}

	@Override
	public String toString() {
		return this.fault;
	}

}
