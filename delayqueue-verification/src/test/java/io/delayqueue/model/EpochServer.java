package io.delayqueue.model;

import io.delayqueue.model.EpochScope.Setting;
import io.delayqueue.model.Steps.Kind;

/**
 * The steps of consumers, operators, the janitors, and the process that changes the
 * partition count: {@code Repartitioner.begin}, {@code announce}, {@code close} and
 * {@code end}, with {@code close.lua} and {@code change-epochs.lua}. Each step may come
 * at any time after the one that it needs, by any process, or never.
 */
final class EpochServer {

	private final EpochScope scope;

	private final EpochScripts scripts;

	EpochServer(EpochScope scope) {
		this.scope = scope;
		this.scripts = new EpochScripts(scope);
	}

	void from(State state, Steps steps) {
		for (int place = 0; place < this.scope.epochs(); place++) {
			boolean isUsed = (EpochPart.consumed(state) >> place & 1) != 0;
			for (int id = 0; id < this.scope.ids(); id++) {
				String name = EpochCall.name(id);
				if (isUsed && EpochKey.LIVE.has(state, place, id)) {
					deliver(state, place, id, steps);
				}
				else if (isUsed && EpochKey.DEAD.has(state, place, id)) {
					operate(state, place, id, steps);
				}
				if (!EpochKey.RECORD.has(state, place, id)) {
					repair(state, place, id, steps);
				}
				if (EpochKey.DONE.has(state, place, id)) {
					steps.add(() -> "the window of " + name + " ends", EpochKey.DONE.set(state, place, id, 0),
							Kind.SYSTEM, null);
				}
			}
		}
		prepare(state, steps);
		change(state, steps);
	}

	private void deliver(State state, int place, int id, Steps steps) {
		int label = EpochKey.RECORD.of(state, place, id);
		Property broken = EpochPart.FINISHED.has(state, 1 << label - 1) ? Property.E3 : null;
		steps.add(() -> words(place, id) + " of call " + label + " is handled", this.scripts.handled(state, place, id),
				Kind.SYSTEM, broken);
		steps.add(() -> words(place, id) + " dies", this.scripts.dead(state, place, id, false), Kind.SYSTEM, null);
		if (this.scope.has(Setting.OLD_RELEASE) && place == 0 && !this.scripts.isRefused(state)) {
			steps.add(() -> words(place, id) + " dies in a process of the first release",
					this.scripts.dead(state, place, id, true), Kind.SYSTEM, null);
		}
	}

	private void operate(State state, int place, int id, Steps steps) {
		if (!EpochKey.RECORD.has(state, place, id) || this.scripts.isInert(state, place)) {
			return;
		}
		if (EpochPart.REDRIVES.of(state) < this.scope.bounds().redrives()) {
			steps.add(() -> words(place, id) + " is redriven",
					EpochPart.REDRIVES.counted(this.scripts.redriven(state, place, id)), Kind.USER, null);
		}
		steps.add(() -> words(place, id) + " is discarded", this.scripts.gone(state, place, id), Kind.USER, null);
	}

	private void repair(State state, int place, int id, Steps steps) {
		State repaired = this.scripts.removed(state, place, id);
		if (!repaired.equals(state)) {
			steps.add(() -> words(place, id) + " has no record: repaired", repaired, Kind.REPAIR, null);
		}
	}

	/** {@code EpochCalls.prepare}, and {@code Repairs.repairDead} after it. */
	private void prepare(State state, Steps steps) {
		int prepared = EpochPart.PREPARED.of(state);
		if (!this.scope.has(Setting.OLD_RELEASE) || prepared == 2) {
			return;
		}
		if (prepared == 0) {
			steps.add(() -> "epoch 0 is prepared", EpochPart.PREPARED.set(state, 1), Kind.USER, null);
			return;
		}
		State shown = state;
		for (int id = 0; id < this.scope.ids() && !this.scope.has(EpochMutation.DEAD_NOT_SHOWN); id++) {
			if (EpochKey.DEAD.has(state, 0, id) && this.scope.isGroup()) {
				shown = EpochKey.DEAD_MEMBER.set(shown, 0, id, 1);
			}
		}
		steps.add(() -> "the dead letters of epoch 0 are repaired", EpochPart.PREPARED.set(shown, 2), Kind.USER, null);
	}

	private void change(State state, Steps steps) {
		int current = EpochPart.current(state);
		int announced = EpochPart.ANNOUNCED.of(state);
		boolean isPrepared = EpochPart.PREPARED.of(state) == 2 || !this.scope.has(Setting.OLD_RELEASE);
		if (announced == 0 && current + 1 < this.scope.epochs() && isPrepared) {
			steps.add(() -> "epoch " + (current + 1) + " is announced", EpochPart.ANNOUNCED.set(state, current + 1),
					Kind.USER, null);
		}
		if (this.scope.has(EpochMutation.BLIND_DIRECTORY) && current == 1) {
			steps.add(() -> "a process that has read epoch 0 alone writes another epoch 1",
					EpochPart.ADDED.set(state, 1 << 2), Kind.USER, null);
		}
		if (announced != 0 && isClosedBefore(state, announced)) {
			steps.add(() -> "epoch " + announced + " is current",
					EpochPart.ADDED.plus(EpochPart.ANNOUNCED.set(state, 0), 1 << announced), Kind.SYSTEM, null);
		}
		for (int place = 0; place < Math.max(current, announced); place++) {
			int older = place;
			if (EpochPart.CLOSED.of(state, older) == 0) {
				steps.add(() -> "epoch " + older + " is closed", EpochPart.CLOSED.set(state, older, 1), Kind.SYSTEM,
						null);
			}
			if (older < current && (EpochPart.usable(state) >> older & 1) != 0 && hasEnded(state, older)) {
				State ended = EpochPart.DROPPED.plus(state, 1 << older);
				steps.add(() -> "epoch " + older + " has ended",
						this.scope.has(EpochMutation.CONTROL_ENDS) ? EpochPart.CLOSED.set(ended, older, 0) : ended,
						Kind.SYSTEM, null);
			}
		}
	}

	private boolean isClosedBefore(State state, int epoch) {
		for (int place = 0; place < epoch; place++) {
			boolean isOpen = EpochPart.CLOSED.of(state, place) == 0;
			if (isOpen && (EpochPart.usable(state) >> place & 1) != 0) {
				return this.scope.has(Setting.EARLY) || this.scope.has(EpochMutation.OPEN_BEFORE_CURRENT);
			}
		}
		return true;
	}

	/** {@code remaining.lua}. */
	private boolean hasEnded(State state, int place) {
		boolean isClosed = EpochPart.CLOSED.of(state, place) != 0 || this.scope.has(EpochMutation.OPEN_ENDS);
		boolean isEmpty = !EpochKey.RECORD.hasAny(state, place) && !EpochKey.DEAD.hasAny(state, place)
				&& !EpochKey.LIVE.hasAny(state, place) && !EpochKey.MEMBER.hasAny(state, place)
				&& !EpochKey.DEAD_MEMBER.hasAny(state, place);
		boolean hasWindows = EpochPart.TOMBSTONES.of(state, place) != 0 || EpochKey.DONE.hasAny(state, place);
		return isClosed && (isEmpty || this.scope.has(EpochMutation.HOLDING_ENDS))
				&& (!hasWindows || this.scope.has(EpochMutation.REMEMBERING_ENDS));
	}

	private static String words(int place, int id) {
		return EpochCall.name(id) + " in epoch " + place;
	}

}
