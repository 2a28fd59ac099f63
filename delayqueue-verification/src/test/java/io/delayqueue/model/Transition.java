package io.delayqueue.model;

import java.util.Locale;

/** The transitions of the state machine: one script each. */
enum Transition {

	SCHEDULE, REPLACE, POSTPONE, RESCHEDULE, CANCEL, SWEEP, PARK, UNPARK, ACKNOWLEDGE, RETRY, DEAD_LETTER, RELEASE,
	RECLAIM, REDRIVE, DISCARD, REPAIR;

	String words() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
