package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.delayqueue.store.CheckedCalls.CancelCall;
import io.delayqueue.store.CheckedCalls.MoveCall;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.OracleUpkeep.RemovalCall;
import io.delayqueue.store.PartitionControl.Switch;
import org.jspecify.annotations.Nullable;

/**
 * Draws the steps of one sequence. After each step, the answer and the whole content of
 * Redis are checked against the guarantees, and compared with the oracle until a script
 * stops. A call that has stopped is often repeated at once.
 */
final class SequenceRun {

	private final TestPartition partition;

	/** Stops scripts, {@code null} to stop none. */
	private final @Nullable StoppedScripts scripts;

	private final List<String> ids;

	private final CheckedCalls calls;

	private final SequenceAudit audit;

	private final List<List<NewMessage>> scheduleCalls = new ArrayList<>();

	private final List<String> generated = new ArrayList<>();

	private final List<CancelCall> cancelCalls = new ArrayList<>();

	private final List<MoveCall> moveCalls = new ArrayList<>();

	/** Calls to redrive, discard or purge, to be repeated. */
	private final List<Runnable> removalCalls = new ArrayList<>();

	private boolean hasStopped;

	private int tokens;

	SequenceRun(TestPartition partition) {
		this(partition, null, Draw.IDS);
	}

	/** A sequence about a few ids, whose scripts may stop. */
	SequenceRun(TestPartition partition, @Nullable StoppedScripts scripts, List<String> ids) {
		Oracle oracle = new Oracle();
		this.partition = partition;
		this.scripts = scripts;
		this.ids = ids;
		this.calls = new CheckedCalls(partition, (scripts != null) ? scripts.storeOf(partition) : partition.store(),
				oracle);
		this.audit = new SequenceAudit(partition, oracle);
	}

	/** The steps so far, a line for each. */
	List<String> log() {
		return this.calls.log();
	}

	/** All answers of the store so far. */
	Set<Enum<?>> answers() {
		return this.calls.answers();
	}

	void run(List<Step> steps) {
		for (Step step : steps) {
			Draw draw = new Draw(step.seed(), this.ids, this.generated);
			boolean isRepeated = this.hasStopped && draw.oneIn(3);
			run(() -> {
				if (isRepeated) {
					this.calls.repeat();
				}
				else {
					take(step.kind(), draw);
				}
			}, step.writes());
			PartitionDump dump = this.partition.dump();
			if (this.calls.isKnown()) {
				this.audit.afterStep(dump, draw.id());
			}
			this.calls.guarantees().check(dump, this.partition.now());
		}
		if (this.scripts != null) {
			finish();
		}
	}

	private void run(Runnable step, int writes) {
		this.hasStopped = this.scripts != null && this.scripts.stops(step, writes);
		if (this.scripts == null) {
			step.run();
		}
		if (this.hasStopped) {
			this.calls.stopped();
		}
	}

	/** All that is due can be handled, and a repair leaves nothing else. */
	private void finish() {
		TestStore store = this.partition.store();
		this.calls.log().add("no consumer renews its leases, and all that is due is handled");
		store.control(Switch.PAUSED, false);
		new Holds(store.calls()).endAll(store.partition());
		store.reclaimBesideOthers();
		List<String> handled = Drain.of(store);
		this.audit.atRest(handled, false);
		this.calls.log().add("repair");
		store.repair();
		handled.addAll(Drain.of(store));
		this.audit.atRest(handled, true);
	}

	private void take(Step.Kind kind, Draw draw) {
		switch (kind) {
			case SCHEDULE -> this.calls.schedule(newCall(draw), draw.groups());
			case SCHEDULE_AGAIN -> {
				if (!this.scheduleCalls.isEmpty()) {
					this.calls.schedule(oldCall(draw), draw.groups());
				}
			}
			case SWEEP -> this.calls.sweep(draw.upTo(5), draw.upTo(6));
			case READ -> this.calls.read(draw.consumer(), draw.upTo(3), draw.oneIn(8));
			case ACKNOWLEDGE -> this.calls.acknowledge(draw.some(this.calls.deliveries()), draw.yes());
			case RELEASE ->
				this.calls.release(draw.some(this.calls.deliveries()), draw.yes() ? States.DUE : States.FAR);
			case DEAD_LETTER -> draw.some(this.calls.deliveries())
				.stream()
				.limit(1)
				.forEach((entry) -> this.calls.deadLetter(entry, draw.yes()));
			case RETRY -> draw.some(this.calls.deliveries())
				.stream()
				.limit(1)
				.forEach((entry) -> this.calls.retry(entry, draw.delay(), draw.yes() ? "it broke" : null, draw.yes()));
			case RECLAIM -> this.calls.reclaim(draw.yes(), draw.yes());
			case REDRIVE -> {
				List<Redrive> batch = draw.redrives();
				int quota = draw.upTo(3) - 1;
				removal(draw, (call) -> this.calls.redrive(call, batch, quota));
			}
			case DISCARD -> {
				List<StoredId> ids = draw.ids();
				removal(draw, (call) -> this.calls.discard(call, ids));
			}
			case CANCEL -> {
				CancelCall call = new CancelCall(draw.key(), TestMessages.token(++this.tokens), draw.yes());
				this.cancelCalls.add(call);
				this.calls.cancel(call);
			}
			case CANCEL_AGAIN -> {
				if (!this.cancelCalls.isEmpty()) {
					this.calls.cancel(draw.of(this.cancelCalls));
				}
			}
			case RESCHEDULE -> {
				MoveCall call = new MoveCall(draw.key(), draw.due(), TestMessages.token(++this.tokens), draw.yes());
				this.moveCalls.add(call);
				this.calls.reschedule(call);
			}
			case RESCHEDULE_AGAIN -> {
				if (!this.moveCalls.isEmpty()) {
					this.calls.reschedule(draw.of(this.moveCalls));
				}
			}
			case PURGE -> {
				List<StoredId> ids = draw.ids();
				boolean deadLetters = draw.yes();
				removal(draw, (call) -> this.calls.purge(call, ids, deadLetters));
			}
			case REMOVE_OR_REDRIVE_AGAIN -> {
				if (!this.removalCalls.isEmpty()) {
					draw.of(this.removalCalls).run();
				}
			}
			case PAUSE -> this.calls.pause(draw.oneIn(3));
			case DRAIN -> this.calls.drain(draw.oneIn(4));
			case HOLD -> this.calls.hold(draw.oneIn(3) ? "" : draw.group());
			case END_HOLD -> this.calls.endHold(draw.yes() ? "" : draw.group());
			case REPAIR -> this.calls.repair();
		}
	}

	private List<NewMessage> newCall(Draw draw) {
		List<NewMessage> call = draw.call(() -> ++this.tokens);
		this.scheduleCalls.add(call);
		call.stream()
			.filter((message) -> message.onDuplicate() == null)
			.map(NewMessage::id)
			.forEach(this.generated::add);
		return call;
	}

	/** An earlier call, which may be repeated together with a new one. */
	private List<NewMessage> oldCall(Draw draw) {
		List<NewMessage> call = new ArrayList<>(draw.of(this.scheduleCalls));
		if (draw.oneIn(4)) {
			call.addAll(newCall(draw));
		}
		return call;
	}

	/** Makes a call, which a later step may repeat. */
	private void removal(Draw draw, Consumer<RemovalCall> work) {
		RemovalCall call = new RemovalCall(TestMessages.token(++this.tokens), draw.yes());
		this.removalCalls.add(() -> work.accept(call));
		work.accept(call);
	}

}
