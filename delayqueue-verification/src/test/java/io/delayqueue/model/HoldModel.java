package io.delayqueue.model;

import java.util.List;
import java.util.function.UnaryOperator;

import io.delayqueue.model.Steps.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Holds of a queue and of a group: two messages of the group and one without a group, all
 * due at once, while callers hold and release. The limits of the group, its order, and
 * what happens to a message with failures are left to {@link GroupModel}; that a process
 * begins nothing that it had read before a hold is left to the soak.
 *
 * @param calls the number of calls that hold or release, at most 3
 * @param stops the number of scripts that stop half-way, at most 1
 * @param mutation the fault in the design, {@code null} for none
 */
record HoldModel(int calls, int stops, @Nullable HoldMutation mutation) implements Model {

	private static final int ALL = 7;

	private static final int OF_GROUP = 3;

	private static final int END = 3;

	@Override
	public void next(State state, Steps steps) {
		int now = now(state);
		if (now < END) {
			steps.add(() -> "time passes", HoldKey.CLOCK.set(state, now), Kind.SYSTEM, null);
		}
		run(sweep(state), UnaryOperator.identity(), "sweep", Kind.SYSTEM, steps);
		for (int id = 1; id <= ALL; id <<= 1) {
			messageSteps(state, id, steps);
		}
		if (HoldKey.CALLS.of(state) == this.calls) {
			return;
		}
		State called = HoldKey.CALLS.set(state, HoldKey.CALLS.of(state) + 1);
		for (int until = now + 1; until <= END; until++) {
			hold(called, HoldKey.QUEUE_HOLD, HoldKey.QUEUE_PROMISE, until, steps);
			hold(called, HoldKey.GROUP_HOLD, HoldKey.GROUP_PROMISE, until, steps);
		}
		run(end(HoldKey.GROUP_PROMISE.set(called, 0), false), UnaryOperator.identity(), "release the group", Kind.USER,
				steps);
		run(end(HoldKey.QUEUE_PROMISE.set(HoldKey.GROUP_PROMISE.set(called, 0), 0), true), UnaryOperator.identity(),
				"release all", Kind.USER, steps);
	}

	private void messageSteps(State state, int id, Steps steps) {
		if (!HoldKey.STORED.has(state, id)) {
			State stored = HoldKey.STORED.plus(HoldKey.SCHEDULED.plus(state, id), id);
			steps.add(() -> id + " is scheduled", stored, Kind.SYSTEM, null);
		}
		boolean mayRead = !isHeld(state, HoldKey.QUEUE_HOLD) || has(HoldMutation.READ_IGNORES_QUEUE);
		if (HoldKey.READY.has(state, id) && mayRead) {
			boolean isMarked = isOfGroup(id) && isHeld(state, HoldKey.GROUP_HOLD)
					&& !has(HoldMutation.READ_IGNORES_GROUP);
			State read = HoldKey.READY.minus(state, id);
			steps.add(() -> "read " + id, (isMarked ? HoldKey.MARKED : HoldKey.TAKEN).plus(read, id), Kind.SYSTEM,
					(!isMarked && isPromised(state, id)) ? Property.H1 : null);
		}
		if (HoldKey.TAKEN.has(state, id)) {
			run(acknowledge(state, id), UnaryOperator.identity(), "acknowledge " + id, Kind.SYSTEM, steps);
			run(release(state, id), UnaryOperator.identity(), "release " + id, Kind.USER, steps);
		}
		if (HoldKey.MARKED.has(state, id)) {
			run(release(state, id), UnaryOperator.identity(), "release " + id, Kind.SYSTEM, steps);
		}
	}

	/** A script, which may stop after each of its writes but the last one. */
	private void run(HoldRun script, UnaryOperator<State> answered, String words, Kind kind, Steps steps) {
		steps.add(() -> words, answered.apply(script.state()), kind, null);
		if (HoldKey.STOPS.of(script.state()) < this.stops) {
			for (int i = 0; i < script.states().size() - 1; i++) {
				int writes = i + 1;
				steps.add(() -> words + " (STOPS after " + writes + " writes)",
						HoldKey.STOPS.set(script.states().get(i), 1), Kind.FAULT, null);
			}
		}
	}

	private void hold(State state, HoldKey subject, HoldKey promise, int until, Steps steps) {
		HoldRun run = new HoldRun(state);
		int before = isStored(state, subject) ? subject.of(state) : 0;
		if (before < until) {
			boolean isLatest = HoldKey.LATEST.of(state) < until || has(HoldMutation.LAST_HOLD_COUNTS);
			if (has(HoldMutation.HOLD_BEFORE_CONTROL)) {
				run.set(subject, until);
			}
			run.set(HoldKey.LATEST, isLatest ? until : HoldKey.LATEST.of(state));
			run.set(subject, until);
			HoldKey other = (subject == HoldKey.QUEUE_HOLD) ? HoldKey.GROUP_HOLD : HoldKey.QUEUE_HOLD;
			run.set(other, isStored(state, other) ? other.of(state) : 0);
		}
		run(run, (after) -> promise.set(after, Math.max(before, until)), "hold " + subject + " until " + until,
				Kind.USER, steps);
	}

	private HoldRun end(State state, boolean all) {
		HoldRun run = new HoldRun(state);
		int at = HoldKey.THROTTLED.of(state);
		boolean isNamed = !all || HoldKey.GROUP_HOLD.of(state) != 0;
		if (isNamed && !has(HoldMutation.RELEASE_LEAVES_PARKED)) {
			run.set(HoldKey.THROTTLED, Math.min(at, now(state)));
		}
		run.together(HoldKey.GROUP_HOLD.set(all ? HoldKey.QUEUE_HOLD.set(run.state(), 0) : run.state(), 0));
		if (HoldKey.QUEUE_HOLD.of(run.state()) == 0 || has(HoldMutation.RELEASE_OF_ONE_ENDS_ALL)) {
			run.set(HoldKey.LATEST, 0);
		}
		return run;
	}

	private HoldRun sweep(State state) {
		HoldRun run = new HoldRun(state);
		int now = now(state);
		int held = isHeld(state, HoldKey.GROUP_HOLD) ? HoldKey.GROUP_HOLD.of(state) : 0;
		boolean anyThrottled = HoldKey.ANY_THROTTLED.of(state) == 1;
		int at = anyThrottled ? HoldKey.THROTTLED.of(state) : 0;
		int parked = HoldKey.PARKED.of(state);
		boolean isStopped = isHeld(state, HoldKey.QUEUE_HOLD);
		boolean isResumable = !isStopped && at != 0 && at <= now;
		int underWay = HoldKey.READY.of(state) | HoldKey.TAKEN.of(state) | HoldKey.MARKED.of(state);
		int resumed = (isResumable && held == 0) ? parked & ~underWay : 0;
		int moved = resumed;
		int parking = 0;
		boolean unparks = !isStopped && parked != 0 && held == 0 && at == 0;
		for (int id = 1; id <= ALL && !isStopped; id <<= 1) {
			if (!HoldKey.SCHEDULED.has(state, id) || (resumed & id) != 0) {
				continue;
			}
			boolean isOvertaking = (parked & OF_GROUP & (id - 1)) != 0;
			if (isOfGroup(id) && (held != 0 || isOvertaking)) {
				parking |= id;
				unparks |= held == 0;
			}
			else {
				moved |= id;
			}
		}
		boolean isThrottled = held != 0 && (isResumable || parking != 0);
		run.set(HoldKey.THROTTLED, isThrottled ? held : (isResumable ? 0 : HoldKey.THROTTLED.of(state)));
		run.set(HoldKey.ANY_THROTTLED, (anyThrottled || isThrottled) ? 1 : 0);
		int leaving = moved & parked | (isResumable && held == 0 ? parked : 0);
		if (has(HoldMutation.RESUME_REMOVES_FIRST)) {
			run.set(HoldKey.PARKED, HoldKey.PARKED.of(run.state()) & ~leaving);
		}
		run.set(HoldKey.SCHEDULED, HoldKey.SCHEDULED.of(run.state()) | resumed);
		if (has(HoldMutation.PARK_REMOVES_FIRST)) {
			run.set(HoldKey.SCHEDULED, HoldKey.SCHEDULED.of(run.state()) & ~parking);
		}
		run.set(HoldKey.PARKED, HoldKey.PARKED.of(run.state()) | parking);
		// A new entry takes the fence from an earlier delivery
		run.together(HoldKey.READY.plus(HoldKey.TAKEN.minus(HoldKey.MARKED.minus(run.state(), moved), moved), moved));
		run.set(HoldKey.PARKED, HoldKey.PARKED.of(run.state()) & ~leaving);
		run.set(HoldKey.SCHEDULED, HoldKey.SCHEDULED.of(run.state()) & ~moved);
		run.set(HoldKey.SCHEDULED, HoldKey.SCHEDULED.of(run.state()) & ~parking);
		if (unparks) {
			unpark(run, 2);
		}
		boolean haveEnded = has(HoldMutation.ANY_END_ENDS_ALL)
				? HoldKey.QUEUE_HOLD.of(state) != 0 && !isStored(state, HoldKey.QUEUE_HOLD)
				: HoldKey.LATEST.of(state) <= now;
		if (haveEnded) {
			run.together(HoldKey.GROUP_HOLD.set(HoldKey.QUEUE_HOLD.set(run.state(), 0), 0));
			run.set(HoldKey.LATEST, 0);
		}
		run.set(HoldKey.ANY_THROTTLED,
				(HoldKey.THROTTLED.of(run.state()) == 0) ? 0 : HoldKey.ANY_THROTTLED.of(run.state()));
		return run;
	}

	private HoldRun acknowledge(State state, int id) {
		HoldRun run = new HoldRun(state);
		State ended = HoldKey.TAKEN.minus(HoldKey.SCHEDULED.minus(HoldKey.PARKED.minus(state, id), id), id);
		run.together(HoldKey.ENDED.plus(ended, id));
		boolean isThrottled = HoldKey.ANY_THROTTLED.of(state) == 1 && HoldKey.THROTTLED.of(state) != 0;
		if (isOfGroup(id) && !isThrottled) {
			unpark(run, 1);
		}
		return run;
	}

	private static HoldRun release(State state, int id) {
		HoldRun run = new HoldRun(state);
		run.set(HoldKey.SCHEDULED, HoldKey.SCHEDULED.of(state) | id);
		run.together(HoldKey.TAKEN.minus(HoldKey.MARKED.minus(run.state(), id), id));
		return run;
	}

	/** PARKED -> SCHEDULED: the first parked messages. */
	private static void unpark(HoldRun run, int count) {
		int left = count;
		for (int id = 1; id <= OF_GROUP && left > 0; id <<= 1) {
			if (HoldKey.PARKED.has(run.state(), id)) {
				left--;
				boolean waits = !HoldKey.READY.has(run.state(), id) && !HoldKey.TAKEN.has(run.state(), id)
						&& !HoldKey.MARKED.has(run.state(), id);
				run.set(HoldKey.SCHEDULED, HoldKey.SCHEDULED.of(run.state()) | (waits ? id : 0));
				run.set(HoldKey.PARKED, HoldKey.PARKED.of(run.state()) & ~id);
			}
		}
	}

	private boolean has(HoldMutation fault) {
		return this.mutation == fault;
	}

	private static boolean isOfGroup(int id) {
		return (id & OF_GROUP) != 0;
	}

	private static int now(State state) {
		return HoldKey.CLOCK.of(state) + 1;
	}

	private static boolean isStored(State state, HoldKey subject) {
		return subject.of(state) > now(state);
	}

	/** Whether a script finds a hold: it asks for the latest end first. */
	private static boolean isHeld(State state, HoldKey subject) {
		return HoldKey.LATEST.of(state) > now(state) && isStored(state, subject);
	}

	/** Whether a caller knows of a hold that no call has begun to end. */
	private static boolean isPromised(State state, int id) {
		return isStored(state, HoldKey.QUEUE_PROMISE) || isOfGroup(id) && isStored(state, HoldKey.GROUP_PROMISE);
	}

	@Override
	public @Nullable Property brokenIn(State state) {
		int located = HoldKey.SCHEDULED.of(state) | HoldKey.PARKED.of(state) | HoldKey.READY.of(state)
				| HoldKey.TAKEN.of(state) | HoldKey.MARKED.of(state) | HoldKey.ENDED.of(state);
		if ((HoldKey.STORED.of(state) & ~located) != 0) {
			return Property.P4;
		}
		State swept = state;
		for (int round = 0; round < 3; round++) {
			swept = sweep(swept).state();
		}
		boolean isAnyHeld = isHeld(state, HoldKey.QUEUE_HOLD) || isHeld(state, HoldKey.GROUP_HOLD);
		return (!isAnyHeld && HoldKey.PARKED.of(swept) != 0) ? Property.H2 : null;
	}

	@Override
	public State canonical(State state) {
		return state;
	}

	@Override
	public State renamed(State state) {
		return state;
	}

	@Override
	public List<Rest> rests() {
		return List.of(new Rest((state) -> true, HoldModel::isClean, false));
	}

	/** All messages have ended, and no hold is left. */
	private static boolean isClean(State state) {
		boolean isThrottled = HoldKey.ANY_THROTTLED.of(state) == 1
				|| HoldKey.STOPS.of(state) == 0 && HoldKey.THROTTLED.of(state) != 0;
		return HoldKey.ENDED.of(state) == ALL && HoldKey.LATEST.of(state) == 0 && HoldKey.QUEUE_HOLD.of(state) == 0
				&& HoldKey.GROUP_HOLD.of(state) == 0 && !isThrottled;
	}

	@Override
	public String toString() {
		return this.calls + " calls, " + this.stops + " stopped scripts"
				+ ((this.mutation != null) ? ", and " + this.mutation : "");
	}

}
