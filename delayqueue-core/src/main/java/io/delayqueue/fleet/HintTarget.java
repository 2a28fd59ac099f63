package io.delayqueue.fleet;

import org.jspecify.annotations.Nullable;

/**
 * Who must get a hint: nobody, one member or all processes.
 *
 * @param isNeeded {@code false} if nobody needs the hint
 * @param member the name of the member, {@code null} for all processes
 */
record HintTarget(boolean isNeeded, @Nullable String member) {

	static final HintTarget NOBODY = new HintTarget(false, null);

	static final HintTarget ALL = new HintTarget(true, null);

	static HintTarget member(String name) {
		return new HintTarget(true, name);
	}

	/** Whether a process other than the one with the name needs the hint. */
	boolean isForOthersThan(String name) {
		return this.isNeeded && !name.equals(this.member);
	}

}
