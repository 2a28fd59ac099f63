package io.delayqueue.model;

import io.delayqueue.model.Consumer.Phase;
import io.delayqueue.model.Consumer.Sent;
import io.delayqueue.model.Scope.Feature;
import io.delayqueue.model.Steps.Kind;

/** The steps without callers and consumers: time, sweep, reclaim, repair, operators. */
final class ServerSteps {

	private static final int END_OF_TIME = 2;

	private final Scope scope;

	private final SweepScripts scripts;

	private final SettlementScripts settlementScripts;

	private final DeadLetterScripts deadLetterScripts;

	private final RepairScript repairScript;

	ServerSteps(Scope scope) {
		this.scope = scope;
		this.scripts = new SweepScripts(scope);
		this.settlementScripts = new SettlementScripts(scope);
		this.deadLetterScripts = new DeadLetterScripts(scope);
		this.repairScript = new RepairScript(scope);
	}

	void from(State state, Steps steps) {
		time(state, steps);
		leases(state, steps);
		if (Leases.of(state) == Leases.REFUSED) {
			return;
		}
		if (state.has(Field.SCHEDULED) && state.get(Field.SCHEDULED) <= state.get(Field.NOW)) {
			sweep(state, steps);
		}
		if (state.has(Field.PARKED)) {
			run(state, this.scripts.unpark(state), Kind.SYSTEM, steps);
		}
		for (int entry = 1; entry <= ReadyStream.MAX_ENTRIES; entry++) {
			if (mayReclaim(state) && silent(state, entry)) {
				reclaim(state, entry, steps);
			}
			if (state.ready().holder(entry) == ReadyStream.NO_CONSUMER) {
				run(state, this.settlementScripts.release(state, entry), Kind.SYSTEM, steps);
			}
		}
		if (state.has(Field.DEAD)) {
			run(state, this.deadLetterScripts.redrive(state, 0), Kind.USER, steps);
			discard(state, steps);
		}
		run(state, this.repairScript.repair(state), Kind.REPAIR, steps);
	}

	private void time(State state, Steps steps) {
		if (state.get(Field.NOW) < END_OF_TIME) {
			steps.add(() -> "time passes", state.counted(Field.NOW), Kind.SYSTEM, null);
		}
		if (this.scope.has(Mutation.TOMBSTONE_ENDS_BEFORE_REPEATS) && state.has(Field.TOMBSTONES)) {
			steps.add(() -> "the window of the tombstone ends", state.with(Field.TOMBSTONES, 0), Kind.SYSTEM, null);
		}
		// Repeats end before the window of a finished id does.
		boolean repeats = Call.open(state) != 0 || mayRepeat(state, ConsumerName.A) || mayRepeat(state, ConsumerName.B);
		if (state.has(Field.DONE) && !repeats) {
			steps.add(() -> "the window of the finished id ends", state.with(Field.DONE, 0), Kind.SYSTEM, null);
		}
	}

	private static boolean mayRepeat(State state, ConsumerName name) {
		return state.consumer(name).sent() != Sent.NOT_YET;
	}

	private void sweep(State state, Steps steps) {
		run(state, this.scripts.sweep(CanonicalForm.newEntry(state)), Kind.SYSTEM, steps);
		if (this.scope.has(Feature.GROUPS)) {
			run(state, this.scripts.park(), Kind.SYSTEM, steps);
		}
	}

	/** Redis refuses writes, accepts them again, and the heartbeats run. */
	private void leases(State state, Steps steps) {
		switch (Leases.of(state)) {
			case RENEWED -> {
				if (this.scope.has(Feature.REFUSALS) && state.get(Field.FAULTS) < this.scope.faults()) {
					steps.add(() -> "Redis refuses to write", Leases.REFUSED.in(state).counted(Field.FAULTS),
							Kind.FAULT, null);
				}
			}
			case REFUSED -> steps.add(() -> "Redis writes again", Leases.SILENT.in(state), Kind.SYSTEM, null);
			case SILENT -> steps.add(() -> "the heartbeats renew", Leases.RENEWED.in(state), Kind.SYSTEM, null);
		}
	}

	/** Reclaims only after every living process has sent its heartbeat. */
	private boolean mayReclaim(State state) {
		return Leases.of(state) != Leases.SILENT || this.scope.has(Mutation.RECLAIM_BEFORE_HEARTBEATS);
	}

	/**
	 * Whether the message is pending and its consumer has not renewed the lease in time.
	 */
	private boolean silent(State state, int entry) {
		int holder = state.ready().holder(entry);
		if (holder <= ReadyStream.NO_CONSUMER) {
			return holder == ReadyStream.NO_CONSUMER;
		}
		Consumer consumer = holder(state, entry);
		boolean notRenewed = consumer.phase() == Phase.ABANDONING
				&& this.scope.has(Mutation.ABANDONED_LEASE_IS_NOT_RENEWED);
		return !consumer.worksOn(entry) || Leases.of(state) == Leases.SILENT || notRenewed;
	}

	private void reclaim(State state, int entry, Steps steps) {
		boolean lives = state.ready().holder(entry) > ReadyStream.NO_CONSUMER && holder(state, entry).worksOn(entry);
		ScriptStep step = new ScriptStep(state, this.settlementScripts.reclaim(state, entry), Kind.SYSTEM);
		step.breaks((after) -> lives ? Property.P12 : null).into(steps, this.scope);
	}

	private static Consumer holder(State state, int entry) {
		boolean isA = state.ready().holder(entry) == ConsumerName.A.holder();
		return state.consumer(isA ? ConsumerName.A : ConsumerName.B);
	}

	private void discard(State state, Steps steps) {
		Script script = this.deadLetterScripts.discard(state, 0);
		boolean gone = script.answer() == Answer.MOVED;
		int generation = state.message().generation();
		new ScriptStep(state, script, Kind.USER)
			.answered((after) -> gone ? after.plus(Field.CANCELLED, generation) : after)
			.into(steps, this.scope);
	}

	private void run(State state, Script script, Kind kind, Steps steps) {
		ScriptStep step = new ScriptStep(state, script, kind);
		if (step.changesNothing()) {
			steps.ran(script.transition(), script.answer());
			return;
		}
		step.into(steps, this.scope);
	}

}
