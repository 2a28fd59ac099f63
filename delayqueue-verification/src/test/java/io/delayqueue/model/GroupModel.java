package io.delayqueue.model;

import java.util.List;

import io.delayqueue.model.GroupScope.Setting;
import io.delayqueue.model.GroupWorker.Pace;
import io.delayqueue.model.GroupWorker.Phase;
import org.jspecify.annotations.Nullable;

/** One group: its messages, their slots, and their order. */
final class GroupModel implements Model {

	private final GroupScope scope;

	private final GroupCallers callers;

	private final GroupServer server;

	private final GroupConsumers consumers;

	private final GroupSweep sweeps;

	private final GroupUpkeep repairService;

	GroupModel(GroupScope scope) {
		this.scope = scope;
		this.callers = new GroupCallers(scope);
		this.server = new GroupServer(scope);
		this.consumers = new GroupConsumers(scope);
		this.sweeps = new GroupSweep(scope);
		this.repairService = new GroupUpkeep(scope);
	}

	@Override
	public void next(State state, Steps steps) {
		this.callers.from(state, steps);
		this.server.from(state, steps);
		this.consumers.from(state, steps);
	}

	@Override
	public State canonical(State state) {
		return GroupForm.of(state);
	}

	@Override
	public State renamed(State state) {
		return GroupForm.renamed(state);
	}

	@Override
	public @Nullable Property brokenIn(State state) {
		boolean stopped = GroupWorld.STOPS.of(state) > 0;
		int underWay = stopped ? beingHandled(state) : GroupScope.underWay(state);
		if (this.scope.limit() != 0 && underWay > this.scope.limit()) {
			return Property.G2;
		}
		// A script that stops may leave one more than the quota allows.
		int most = this.scope.quota() + GroupWorld.STOPS.of(state);
		if (this.scope.quota() != 0 && this.scope.living(state) > most) {
			return Property.G1;
		}
		int current = 0;
		for (int id = 0; id < this.scope.ids(); id++) {
			current |= State.setOf(GroupKey.MESSAGES.of(state, id));
			Property broken = brokenIn(state, id);
			if (broken != null) {
				return broken;
			}
		}
		if (GroupWorld.ACCEPTED.has(state, ~GroupWorld.HANDLED.of(state) & ~GroupWorld.ENDED.of(state) & ~current)) {
			return Property.P1;
		}
		if (stopped) {
			return isIdle(state) ? brokenAfterRepair(state) : null;
		}
		return isParkedInVain(state) ? Property.G4 : null;
	}

	/**
	 * Number of messages that are ready, or held by a consumer that handles them and was
	 * never frozen.
	 */
	private int beingHandled(State state) {
		int handled = isHandled(state, GroupWorld.WORKER_A) + isHandled(state, GroupWorld.WORKER_B);
		for (int id = 0; id < this.scope.ids(); id++) {
			boolean stored = GroupKey.MESSAGES.of(state, id) != 0;
			handled += (stored && GroupScope.location(state, id) == Location.READY) ? 1 : 0;
		}
		return handled;
	}

	private static int isHandled(State state, GroupWorld name) {
		GroupWorker worker = GroupWorker.of(name.of(state));
		boolean current = GroupKey.ENTRIES.of(state, worker.id()) == worker.entry()
				&& GroupKey.MESSAGES.of(state, worker.id()) == worker.label();
		return (worker.phase() == Phase.WORKING && worker.pace() == Pace.STEADY && current) ? 1 : 0;
	}

	private @Nullable Property brokenIn(State state, int id) {
		boolean stored = GroupKey.MESSAGES.of(state, id) != 0;
		if (stored && GroupScope.location(state, id) == Location.NOWHERE) {
			return Property.P4;
		}
		if (stored && GroupKey.GROUPED.of(state, id) == 0) {
			return Property.G3;
		}
		if (GroupWorld.STOPS.of(state) > 0) {
			return null;
		}
		if (stored ? locations(state, id) > 1 : isKnown(state, id)) {
			return Property.P4;
		}
		return hasItsSlots(state, id) ? null : Property.G3;
	}

	private static int locations(State state, int id) {
		int locations = (GroupKey.SCHEDULED.of(state, id) != 0) ? 1 : 0;
		locations += Integer.bitCount(GroupKey.PARKED.of(state, id)) + GroupKey.DEAD.of(state, id);
		return GroupScope.isUnderWay(state, id) ? locations + 1 : locations;
	}

	/** Whether a key other than the record and the stream contains an id. */
	private static boolean isKnown(State state, int id) {
		for (GroupKey key : GroupKey.values()) {
			if (key != GroupKey.READY && key.of(state, id) != 0) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether an id holds exactly the slots of the quota and the limit that it must hold.
	 */
	private boolean hasItsSlots(State state, int id) {
		int due = GroupKey.GROUPED.of(state, id);
		int wanted = this.scope.holdsSlot(state, id) ? GroupKey.setOf(due) : 0;
		boolean movedAlone = due != GroupKey.DUE.of(state, id) && GroupWorld.STOPS.of(state) == 0;
		if (GroupKey.GROUPS.of(state, id) != wanted || movedAlone) {
			return false;
		}
		int score = GroupKey.SCHEDULED.of(state, id);
		boolean waits = score >= GroupKey.RETRIED && !this.scope.has(Setting.STRICT);
		// A failed message whose reschedule stopped half-way looks like one that waits
		// for its retry.
		boolean stopped = GroupWorld.STOPS.of(state) > 0 && score != 0 && GroupKey.FAILURES.of(state, id) != 0;
		boolean begins = score != 0 && score <= GroupWorld.now(state)
				|| (score == GroupKey.RETRIED || stopped) && this.scope.has(Setting.STRICT);
		boolean active = GroupKey.ACTIVE.of(state, id) != 0;
		boolean underWay = GroupScope.isUnderWay(state, id);
		return active ? (underWay || begins) && !waits : !underWay;
	}

	/** Whether nothing is delivered and no consumer works. */
	private boolean isIdle(State state) {
		for (int id = 0; id < this.scope.ids(); id++) {
			ReadyStream ready = new ReadyStream(GroupKey.READY.of(state, id));
			for (int entry = 1; entry <= GroupKey.MAX_ENTRIES; entry++) {
				if (ready.pending(entry)) {
					return false;
				}
			}
		}
		return GroupWorker.of(GroupWorld.WORKER_A.of(state)).idle()
				&& GroupWorker.of(GroupWorld.WORKER_B.of(state)).idle();
	}

	/** Repair corrects what a stopped script leaves behind. */
	private @Nullable Property brokenAfterRepair(State state) {
		State repaired = state;
		for (int round = 0; round < 2; round++) {
			for (int id = 0; id < this.scope.ids(); id++) {
				repaired = this.repairService.repair(repaired, id).state();
			}
		}
		for (int id = 0; id < this.scope.ids(); id++) {
			boolean stored = GroupKey.MESSAGES.of(repaired, id) != 0;
			if (stored ? locations(repaired, id) != 1 : isKnown(repaired, id)) {
				return Property.P4;
			}
			if (!hasItsSlots(repaired, id)) {
				return Property.G3;
			}
		}
		return isParkedInVain(repaired) ? Property.G4 : null;
	}

	/** Whether sweeps alone fail to unpark while the group has a free slot. */
	private boolean isParkedInVain(State state) {
		State swept = state;
		for (int round = 0; round < 2 * this.scope.ids(); round++) {
			if (!isParked(swept)) {
				return false;
			}
			swept = this.sweeps.sweep(swept, this.scope.ids(), 0, true).state();
		}
		return isParked(swept) && (this.scope.limit() == 0 || held(swept) < this.scope.limit());
	}

	private boolean isParked(State state) {
		for (int id = 0; id < this.scope.ids(); id++) {
			if (GroupKey.PARKED.of(state, id) != 0) {
				return true;
			}
		}
		return false;
	}

	/** Number of ids that rightly hold a slot of the limit. */
	private int held(State state) {
		int held = 0;
		for (int id = 0; id < this.scope.ids(); id++) {
			held += GroupKey.ACTIVE.of(state, id);
		}
		return held;
	}

	@Override
	public List<Rest> rests() {
		return List.of(new Rest((state) -> GroupWorld.STOPS.of(state) == 0, this::isClean, false),
				new Rest((state) -> true, this::isClean, true));
	}

	/** Nothing is left but dead letters. */
	private boolean isClean(State state) {
		for (int id = 0; id < this.scope.ids(); id++) {
			boolean stored = GroupKey.MESSAGES.of(state, id) != 0;
			boolean clean = GroupKey.READY.of(state, id) == 0 && (stored
					? GroupScope.location(state, id) == Location.DEAD && hasItsSlots(state, id) : !isKnown(state, id));
			if (!clean) {
				return false;
			}
		}
		return true;
	}

}
