package io.delayqueue.model;

import io.delayqueue.model.GroupWorker.Phase;
import io.delayqueue.model.Steps.Kind;

/**
 * The steps without producers and consumers: time, sweep, reclaim, operators, repair.
 */
final class GroupServer {

	private final GroupScope scope;

	private final GroupSweep sweeps;

	private final GroupSettling settling;

	private final GroupUpkeep repairService;

	GroupServer(GroupScope scope) {
		this.scope = scope;
		this.sweeps = new GroupSweep(scope);
		this.settling = new GroupSettling(scope);
		this.repairService = new GroupUpkeep(scope);
	}

	void from(State state, Steps steps) {
		int now = GroupWorld.now(state);
		if (now == 1 && !this.scope.has(GroupScope.Setting.DUE_AT_ONCE)) {
			steps.add(() -> "time passes", GroupWorld.CLOCK.set(state, 1), Kind.SYSTEM, null);
		}
		int due = this.sweeps.due(state);
		for (int first = due; first >= Math.min(due, 1); first--) {
			for (int last = due - first; last >= 0; last--) {
				run(this.sweeps.sweep(state, first, last, true), Kind.SYSTEM, "", steps);
				if (this.scope.has(GroupScope.Setting.STRICT)) {
					run(this.sweeps.sweep(state, first, last, false), Kind.SYSTEM, "", steps);
				}
			}
		}
		for (int id = 0; id < this.scope.ids(); id++) {
			from(state, id, now, steps);
		}
	}

	private void from(State state, int id, int now, Steps steps) {
		// The wait of a retried message may end after the due time in its record.
		if (GroupKey.SCHEDULED.of(state, id) >= GroupKey.RETRIED && GroupKey.DUE.of(state, id) <= now) {
			for (int score = 1; score <= now; score++) {
				steps.add(() -> "the wait of " + GroupKey.name(id) + " is over",
						GroupKey.SCHEDULED.set(state, id, score), Kind.SYSTEM, null);
			}
		}
		ReadyStream ready = new ReadyStream(GroupKey.READY.of(state, id));
		for (int entry = 1; entry <= GroupKey.MAX_ENTRIES; entry++) {
			if (isAbandoned(state, ready, id, entry)) {
				run(this.settling.reclaim(state, id, entry, false), Kind.SYSTEM, GroupKey.name(id), steps);
				run(this.settling.reclaim(state, id, entry, true), Kind.SYSTEM, GroupKey.name(id), steps);
			}
			if (ready.holder(entry) == ReadyStream.NO_CONSUMER) {
				run(this.settling.release(state, id, entry), Kind.SYSTEM, GroupKey.name(id), steps);
			}
		}
		if (this.scope.allows(Transition.CANCEL)) {
			run(this.repairService.cancel(state, id), Kind.USER, GroupKey.name(id), steps);
		}
		if (GroupKey.DEAD.of(state, id) != 0) {
			if (this.scope.allows(Transition.REDRIVE)) {
				run(this.repairService.redrive(state, id), Kind.USER, GroupKey.name(id), steps);
			}
			if (this.scope.allows(Transition.DISCARD)) {
				run(this.repairService.discard(state, id), Kind.USER, GroupKey.name(id), steps);
			}
		}
		run(this.repairService.repair(state, id), Kind.REPAIR, GroupKey.name(id), steps);
	}

	/** Whether the message is pending and its consumer does not renew the lease. */
	private static boolean isAbandoned(State state, ReadyStream ready, int id, int entry) {
		int holder = ready.holder(entry);
		if (holder <= ReadyStream.NO_CONSUMER) {
			return holder == ReadyStream.NO_CONSUMER;
		}
		GroupWorld name = (holder == ConsumerName.A.holder()) ? GroupWorld.WORKER_A : GroupWorld.WORKER_B;
		GroupWorker worker = GroupWorker.of(name.of(state));
		return worker.frozen() || worker.phase() == Phase.IDLE || worker.entry() != entry || worker.id() != id;
	}

	private void run(GroupScript script, Kind kind, String actor, Steps steps) {
		if (script.changesNothing()) {
			steps.ran(script.transition(), script.answer());
			if (script.broken() != null) {
				steps.add(() -> actor + " " + script.transition().words() + ": " + script.answer().words(),
						script.state(), kind, script.broken());
			}
			return;
		}
		new GroupStep(script, this.scope).by(() -> actor).into(steps, kind);
	}

}
