package io.delayqueue.model;

/**
 * A call of a producer about one id of the group.
 *
 * @param transition schedule, replace, postpone or reschedule
 * @param id the id
 * @param due the requested due time
 * @param label the label of the message that it brings, 0 for a reschedule
 * @param remembered whether its answer is stored
 */
record GroupCall(Transition transition, int id, int due, int label, boolean remembered) {

	static final int BITS = 11;

	private static final Transition[] TRANSITIONS = { Transition.SCHEDULE, Transition.REPLACE, Transition.POSTPONE,
			Transition.RESCHEDULE };

	static GroupCall to(Transition transition, int id, int due, int label) {
		return new GroupCall(transition, id, due, label, false);
	}

	static boolean isOpen(State state) {
		return GroupWorld.OPEN_CALL.of(state) != 0;
	}

	/** The call that will be repeated. */
	static GroupCall open(State state) {
		int bits = GroupWorld.OPEN_CALL.of(state);
		return new GroupCall(TRANSITIONS[(bits & 7) - 1], bits >> 3 & 3, bits >> 5 & 3, bits >> 7 & 7, bits >> 10 != 0);
	}

	/** Records that the call will be repeated, or never if another call is open. */
	State leaveOpen(State state) {
		return isOpen(state) ? state : keepOpen(state);
	}

	State keepOpen(State state) {
		int kind = 1;
		while (TRANSITIONS[kind - 1] != this.transition) {
			kind++;
		}
		return GroupWorld.OPEN_CALL.set(state,
				kind | this.id << 3 | this.due << 5 | this.label << 7 | (this.remembered ? 1 << 10 : 0));
	}

	GroupCall labelled(int label) {
		return new GroupCall(this.transition, this.id, this.due, label, this.remembered);
	}

	GroupCall remember() {
		return new GroupCall(this.transition, this.id, this.due, this.label, true);
	}

	/** The label as a set. */
	int labels() {
		return State.setOf(this.label);
	}

	@Override
	public String toString() {
		return this.transition.words() + " " + GroupKey.name(this.id) + " due " + this.due;
	}

}
