package io.delayqueue.model;

import io.delayqueue.model.EpochCall.Kind;
import io.delayqueue.model.EpochScope.Setting;

/**
 * The scripts for one message in one place: {@code schedule.lua} with
 * {@code part/decide.lua} and {@code part/replace.lua}, {@code cancel.lua}, the end of a
 * message, and {@code redrive.lua}. Here each of them is one step.
 */
final class EpochScripts {

	private final EpochScope scope;

	EpochScripts(EpochScope scope) {
		this.scope = scope;
	}

	/**
	 * The effect of a script.
	 *
	 * @param after the state after it
	 * @param answer its answer
	 */
	record Result(State after, Answer answer) {
	}

	/**
	 * Runs a call.
	 * @param state the state before it
	 * @param number the number of the call, from 0
	 * @param call the call
	 * @return its effect
	 */
	Result run(State state, int number, EpochCall call) {
		return switch (call.kind()) {
			case CANCEL -> cancel(state, number, call);
			case OLD -> isRefused(state) ? new Result(state, Answer.REFUSED) : schedule(state, number, call, false);
			default -> {
				boolean closes = call.knowsNewer() && !this.scope.has(EpochMutation.OPEN_SAYS_ELSEWHERE);
				State now = closes ? EpochPart.CLOSED.set(state, call.place(), 1) : state;
				boolean closed = EpochPart.CLOSED.of(now, call.place()) != 0 || call.knowsNewer();
				yield schedule(now, number, call, closed && !this.scope.has(EpochMutation.CLOSED_CREATES));
			}
		};
	}

	/** Whether the layout refuses calls of the first release. */
	boolean isRefused(State state) {
		return EpochPart.PREPARED.of(state) != 0 && !this.scope.has(EpochMutation.OLD_RELEASE_WRITES);
	}

	private Result schedule(State state, int number, EpochCall call, boolean closed) {
		int place = call.place();
		int id = call.id();
		int label = number + 1;
		boolean isElsewhere = closed && !isHeld(state, place, id);
		boolean wasAccepted = hasTombstone(state, place, label);
		int record = EpochKey.RECORD.of(state, place, id);
		if (!isElsewhere && record != 0) {
			if (record == label) {
				return new Result(state, Answer.CREATED);
			}
			if (wasAccepted) {
				return new Result(state, Answer.SUPERSEDED);
			}
			if (call.kind() != Kind.REPLACE) {
				return new Result(state, Answer.DUPLICATE);
			}
			if (isInert(state, place)) {
				return new Result(state, Answer.CARRYING);
			}
		}
		else if (!(isElsewhere && this.scope.has(EpochMutation.MARK_SILENT))) {
			if (wasAccepted) {
				return new Result(state, Answer.ENDED);
			}
			if (call.kind() != Kind.REPLACE && EpochKey.DONE.has(state, place, id)) {
				return new Result(state, Answer.DONE);
			}
		}
		if (isElsewhere) {
			return new Result(state, Answer.ELSEWHERE);
		}
		if (isOccupied(place, id)) {
			return new Result(state, Answer.DUPLICATE);
		}
		if (isFull(state, place, id)) {
			return new Result(state, Answer.FULL);
		}
		State after = (record != 0) ? ended(state, place, id) : state;
		after = EpochKey.RECORD.set(after, place, id, label);
		after = live(after, place, id);
		return new Result(EpochPart.STORED.plus(after, 1 << number), (record != 0) ? Answer.REPLACED : Answer.CREATED);
	}

	/**
	 * Whether the place has a record of the routing key, or, if its dead letters move, of
	 * the id.
	 */
	boolean isHeld(State state, int place, int id) {
		if (!this.scope.isGroup() || isInert(state, place)) {
			return EpochKey.RECORD.has(state, place, id)
					|| (this.scope.has(EpochMutation.MARK_HOLDS) && EpochKey.DONE.has(state, place, id));
		}
		return EpochKey.MEMBER.hasAny(state, place)
				|| (EpochKey.DEAD_MEMBER.hasAny(state, place) && !this.scope.has(EpochMutation.DEAD_NOT_HELD))
				|| (this.scope.has(EpochMutation.MARK_HOLDS) && EpochKey.DONE.has(state, place, id));
	}

	private boolean isFull(State state, int place, int id) {
		return this.scope.isGroup() && !EpochKey.MEMBER.has(state, place, id)
				&& EpochKey.MEMBER.count(state, place) >= this.scope.quota();
	}

	/** Whether a message of no group has the id in a place. */
	boolean isOccupied(int place, int id) {
		return this.scope.has(Setting.OCCUPIED) && place == 1 && id == this.scope.ids() - 1;
	}

	private Result cancel(State state, int number, EpochCall call) {
		int place = call.place();
		int id = call.id();
		if (hasTombstone(state, place, number + 1)) {
			return new Result(state, Answer.CANCELLED);
		}
		if (!EpochKey.RECORD.has(state, place, id)) {
			return new Result(state, (EpochPart.CLOSED.of(state, place) != 0) ? Answer.ELSEWHERE : Answer.NONE);
		}
		if (isInert(state, place)) {
			return new Result(state, Answer.CARRYING);
		}
		// The first run of a call stores its answer for repeats
		State after = EpochPart.TOMBSTONES.plus(gone(state, place, id), place, 1 << number);
		return new Result(after, Answer.CANCELLED);
	}

	private State live(State state, int place, int id) {
		State after = EpochKey.LIVE.set(EpochKey.DEAD.set(state, place, id, 0), place, id, 1);
		after = EpochKey.DEAD_MEMBER.set(after, place, id, 0);
		return this.scope.isGroup() ? EpochKey.MEMBER.set(after, place, id, 1) : after;
	}

	/** A handled message ends: {@code acknowledge.lua}. */
	State handled(State state, int place, int id) {
		return EpochKey.DONE.set(gone(state, place, id), place, id, 1);
	}

	/**
	 * A dead letter of {@code settle.lua}; the first release does not show the group of a
	 * dead one.
	 */
	State dead(State state, int place, int id, boolean byOldRelease) {
		State after = EpochKey.LIVE.set(EpochKey.DEAD.set(state, place, id, 1), place, id, 0);
		if (!this.scope.isGroup()) {
			return after;
		}
		after = byOldRelease ? after : EpochKey.DEAD_MEMBER.set(after, place, id, 1);
		return this.scope.has(Setting.COUNT_DEAD) ? after : EpochKey.MEMBER.set(after, place, id, 0);
	}

	/** Whether the dead letters of a place move, and so do not change. */
	boolean isInert(State state, int place) {
		return EpochPart.CARRYING.of(state, place) != 0;
	}

	/** {@code redrive.lua}: nothing changes if the group is full. */
	State redriven(State state, int place, int id) {
		return isFull(state, place, id) ? state : live(state, place, id);
	}

	/** A message ends: {@code discard.lua}, or as a part of other scripts. */
	State gone(State state, int place, int id) {
		State after = ended(state, place, id);
		return removed(EpochKey.RECORD.set(after, place, id, 0), place, id);
	}

	/** Removes all keys of an id that has no record, as {@code repair.lua} does. */
	State removed(State state, int place, int id) {
		State after = EpochKey.MEMBER.set(EpochKey.DEAD_MEMBER.set(state, place, id, 0), place, id, 0);
		return EpochKey.LIVE.set(EpochKey.DEAD.set(after, place, id, 0), place, id, 0);
	}

	/** The tombstone of a message, and what the observer sees of its end. */
	private State ended(State state, int place, int id) {
		int label = State.setOf(EpochKey.RECORD.of(state, place, id));
		State after = EpochPart.FINISHED.plus(EpochPart.TOMBSTONES.plus(state, place, label), label);
		for (int number = 0; number < EpochCall.MOST; number++) {
			EpochCall call = EpochCall.of(after, number);
			if (call.stored() && call.id() == id) {
				after = call.missed().in(after, number);
			}
		}
		return after;
	}

	static boolean hasTombstone(State state, int place, int label) {
		return (EpochPart.TOMBSTONES.of(state, place) & 1 << label - 1) != 0;
	}

}
