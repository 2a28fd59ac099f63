package io.delayqueue.model;

import io.delayqueue.model.GroupWorker.Pace;
import io.delayqueue.model.GroupWorker.Phase;
import io.delayqueue.model.Steps.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The steps of consumers. That a consumer reads the record before the fence, and starts
 * nothing after a freeze, is left to the model of one message: here a read is one step.
 */
final class GroupConsumers {

	private final GroupScope scope;

	private final GroupSettling scripts;

	GroupConsumers(GroupScope scope) {
		this.scope = scope;
		this.scripts = new GroupSettling(scope);
	}

	void from(State state, Steps steps) {
		GroupWorker a = GroupWorker.of(GroupWorld.WORKER_A.of(state));
		GroupWorker b = GroupWorker.of(GroupWorld.WORKER_B.of(state));
		from(state, GroupWorld.WORKER_A, a, b.frozen(), steps);
		if (!a.idle() || !b.idle()) {
			from(state, GroupWorld.WORKER_B, b, a.frozen(), steps);
		}
	}

	private void from(State state, GroupWorld name, GroupWorker worker, boolean otherFrozen, Steps steps) {
		if (worker.idle()) {
			for (int id = 0; id < this.scope.ids(); id++) {
				read(state, name, id, steps);
			}
			return;
		}
		faults(state, name, worker, otherFrozen, steps);
		if (worker.frozen()) {
			steps.add(() -> label(name) + " wakes up", name.set(state, worker.at(Pace.THAWED).toBits()), Kind.USER,
					null);
		}
		else {
			settle(state, name, worker, steps);
		}
	}

	private void read(State state, GroupWorld name, int id, Steps steps) {
		ReadyStream ready = new ReadyStream(GroupKey.READY.of(state, id));
		int entry = ready.firstUndelivered();
		if (entry == 0) {
			return;
		}
		int label = GroupKey.MESSAGES.of(state, id);
		boolean own = GroupKey.ENTRIES.of(state, id) == entry && label != 0;
		State read = GroupKey.READY.set(state, id, ready.deliver(entry, holder(name)).slots());
		GroupWorker worker = new GroupWorker(own ? Phase.WORKING : Phase.DROPPING, id, entry, own ? label : 0,
				Pace.STEADY);
		boolean early = own && GroupKey.DUE.of(state, id) > GroupWorld.now(state);
		steps.add(() -> label(name) + " reads " + GroupKey.name(id), name.set(read, worker.toBits()), Kind.SYSTEM,
				early ? Property.P2 : null);
		if (GroupWorld.FAULTS.of(state) < this.scope.faults()) {
			State lost = GroupKey.READY.set(state, id, ready.deliver(entry, ReadyStream.NO_CONSUMER).slots());
			steps.add(() -> label(name) + " reads " + GroupKey.name(id) + " (answer lost)",
					GroupWorld.FAULTS.counted(lost), Kind.FAULT, null);
		}
	}

	private void faults(State state, GroupWorld name, GroupWorker worker, boolean otherFrozen, Steps steps) {
		if (GroupWorld.FAULTS.of(state) == this.scope.faults()) {
			return;
		}
		State failed = GroupWorld.FAULTS.counted(state);
		ReadyStream ready = new ReadyStream(GroupKey.READY.of(state, worker.id()));
		State dead = GroupKey.READY.set(failed, worker.id(), ready.pass(holder(name), ReadyStream.NO_CONSUMER).slots());
		steps.add(() -> label(name) + " dies", name.set(dead, GroupWorker.IDLE.toBits()), Kind.FAULT, null);
		// The system cannot come to rest while every consumer is frozen.
		if (!worker.frozen() && !otherFrozen) {
			steps.add(() -> label(name) + " freezes", name.set(failed, worker.at(Pace.FROZEN).toBits()), Kind.FAULT,
					null);
		}
	}

	private void settle(State state, GroupWorld name, GroupWorker worker, Steps steps) {
		if (worker.phase() == Phase.WORKING) {
			run(GroupWorld.HANDLED.plus(state, State.setOf(worker.label())), name, worker.in(Phase.ACKNOWLEDGING),
					false, Kind.SYSTEM, steps);
			run(state, name, worker.in(Phase.RETRYING), false, Kind.SYSTEM, steps);
			run(state, name, worker.in(Phase.BURYING), false, Kind.SYSTEM, steps);
			run(state, name, worker.in(Phase.RELEASING), false, Kind.USER, steps);
			return;
		}
		run(state, name, worker, worker.repeats(), Kind.SYSTEM, steps);
		if (worker.repeats()) {
			steps.add(() -> label(name) + " gives up", name.set(state, GroupWorker.IDLE.toBits()), Kind.USER, null);
		}
	}

	private void run(State state, GroupWorld name, GroupWorker worker, boolean again, Kind kind, Steps steps) {
		int id = worker.id();
		GroupScript script = switch (worker.phase()) {
			case ACKNOWLEDGING -> this.scripts.acknowledge(state, id, worker.entry());
			case RETRYING -> this.scripts.retry(state, id, worker.entry());
			case BURYING -> this.scripts.deadLetter(state, id, worker.entry());
			default -> this.scripts.release(state, id, worker.entry());
		};
		new GroupStep(script, this.scope).by(() -> label(name) + " with " + GroupKey.name(id))
			.answered((after) -> name.set(after, GroupWorker.IDLE.toBits()))
			.unanswered((after) -> name.set(after, worker.toBits()))
			.breaks((after, answer) -> broken(state, worker, again, answer))
			.into(steps, kind);
	}

	private static @Nullable Property broken(State state, GroupWorker worker, boolean again, Answer answer) {
		int standing = GroupKey.MESSAGES.of(state, worker.id());
		if (answer == Answer.SETTLED && standing != worker.label()) {
			return Property.P3;
		}
		boolean lost = answer == Answer.SUPERSEDED && worker.label() != 0 && standing == worker.label();
		return (lost && !again && worker.pace() == Pace.STEADY && GroupWorld.STOPS.of(state) == 0) ? Property.G8 : null;
	}

	private static int holder(GroupWorld name) {
		return ((name == GroupWorld.WORKER_A) ? ConsumerName.A : ConsumerName.B).holder();
	}

	private static String label(GroupWorld name) {
		return (name == GroupWorld.WORKER_A) ? "A" : "B";
	}

}
