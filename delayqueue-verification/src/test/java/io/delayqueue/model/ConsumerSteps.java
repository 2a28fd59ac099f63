package io.delayqueue.model;

import io.delayqueue.model.Consumer.Phase;
import io.delayqueue.model.Consumer.ReadExpiry;
import io.delayqueue.model.Consumer.Sent;
import io.delayqueue.model.Scope.Feature;
import io.delayqueue.model.Steps.Kind;
import org.jspecify.annotations.Nullable;

/** The steps of a consumer: read, check the record and the fence, handle, settle. */
final class ConsumerSteps {

	private final Scope scope;

	private final SettlementScripts scripts;

	ConsumerSteps(Scope scope) {
		this.scope = scope;
		this.scripts = new SettlementScripts(scope);
	}

	void from(State state, ConsumerName name, Steps steps) {
		Consumer consumer = state.consumer(name);
		boolean refused = Leases.of(state) == Leases.REFUSED;
		if (consumer.idle()) {
			if (!refused) {
				read(state, name, steps);
			}
			return;
		}
		faults(state, name, consumer, steps);
		if (consumer.frozen()) {
			// By the consumer's own clock the lease is over: an unstarted message is
			// released.
			boolean givesBack = consumer.phase() == Phase.TAKEN && !this.scope.has(Mutation.NO_LEASE_GUARD);
			go(name, "wakes up", state, consumer.in(givesBack ? Phase.RELEASING : consumer.phase()), Kind.USER, steps);
			return;
		}
		switch (consumer.phase()) {
			case TAKEN -> start(state, name, consumer, steps);
			case HANDLING, HANGING -> finish(state, name, consumer, steps);
			case READ, FIRST_READ -> {
				if (!refused) {
					check(state, name, consumer, steps);
				}
			}
			default -> {
				// Refused commands are repeated; they changed nothing
				if (!refused) {
					settle(state, name, consumer, steps);
				}
			}
		}
	}

	private void read(State state, ConsumerName name, Steps steps) {
		int entry = state.ready().firstUndelivered();
		if (entry == 0) {
			return;
		}
		State read = state.with(state.ready().deliver(entry, name.holder()));
		go(name, "XREADGROUP", read, Consumer.reading(entry), Kind.SYSTEM, steps);
		if (state.get(Field.FAULTS) < this.scope.faults()) {
			State lost = state.with(state.ready().deliver(entry, ReadyStream.NO_CONSUMER)).counted(Field.FAULTS);
			steps.add(() -> name + " XREADGROUP (answer lost)", lost, Kind.FAULT, null);
		}
	}

	private void faults(State state, ConsumerName name, Consumer consumer, Steps steps) {
		if (state.get(Field.FAULTS) == this.scope.faults()) {
			return;
		}
		State failed = state.counted(Field.FAULTS);
		State dead = failed.with(state.ready().pass(name.holder(), ReadyStream.NO_CONSUMER));
		steps.add(() -> name + " dies", dead.with(name, Consumer.IDLE), Kind.FAULT, null);
		// The system cannot come to rest while every consumer is frozen.
		if (!consumer.frozen() && !state.consumer(name.other()).frozen()) {
			steps.add(() -> name + " freezes", failed.with(name, consumer.freezes()), Kind.FAULT, null);
		}
	}

	/** HMGET messages, then entries and expiries together. */
	private void check(State state, ConsumerName name, Consumer consumer, Steps steps) {
		boolean first = consumer.phase() == Phase.READ;
		boolean readsRecord = first != this.scope.has(Mutation.READ_FENCE_BEFORE_RECORD);
		Consumer updated = readsRecord ? consumer.reads(state.message()) : consumer.reads(expiryOf(state, consumer));
		boolean fenced = !readsRecord && state.get(Field.ENTRIES) != consumer.entry()
				&& !this.scope.has(Mutation.READ_UNCHECKED);
		if (fenced || (!first && updated.version() == 0)) {
			go(name, "drops the entry", state, updated.in(Phase.RELEASING), Kind.SYSTEM, steps);
		}
		else if (first) {
			go(name, readsRecord ? "HMGET messages" : "HMGET entries", state, updated.in(Phase.FIRST_READ), Kind.SYSTEM,
					steps);
		}
		else {
			boolean cancelled = state.has(Field.CANCELLED, State.setOf(updated.version()));
			steps.add(() -> name + " takes v" + updated.version(), state.with(name, updated.in(Phase.TAKEN)),
					Kind.SYSTEM, cancelled ? Property.P6 : null);
		}
	}

	/** Reads whether the stored expiry belongs to the record that was read. */
	private static ReadExpiry expiryOf(State state, Consumer consumer) {
		if (!state.expiry().isSet()) {
			return ReadExpiry.NO_EXPIRY;
		}
		boolean own = state.message().version() == consumer.version() && state.expiry().isOf(state.message());
		return own ? ReadExpiry.OWN_EXPIRY : ReadExpiry.FOREIGN_EXPIRY;
	}

	private void start(State state, ConsumerName name, Consumer consumer, Steps steps) {
		Property broken = null;
		if (consumer.due() > state.get(Field.NOW)) {
			broken = Property.P2;
		}
		else if (!state.has(Field.STOPS) && state.has(Field.CANCELLED, State.setOf(consumer.version()))) {
			broken = Property.P6;
		}
		steps.add(() -> name + " starts the handler of v" + consumer.version(),
				state.with(name, consumer.in(Phase.HANDLING)), Kind.SYSTEM, broken);
		go(name, "shuts down", state, consumer.in(Phase.RELEASING), Kind.USER, steps);
		if (consumer.expiry() != ReadExpiry.NO_EXPIRY) {
			go(name, "finds v" + consumer.version() + " expired", state, consumer.in(Phase.EXPIRING), Kind.USER, steps);
		}
	}

	private void finish(State state, ConsumerName name, Consumer consumer, Steps steps) {
		State handled = state.plus(Field.HANDLED, State.setOf(consumer.version()));
		if (consumer.phase() == Phase.HANGING) {
			// The handler continues, and its result does not count
			if (!this.scope.has(Mutation.HANGING_IS_NOT_ABANDONED)) {
				go(name, "abandons the handler", state, consumer.in(Phase.ABANDONING), Kind.SYSTEM, steps);
			}
			go(name, "handler succeeds at last", handled, consumer.in(Phase.ACKNOWLEDGING), Kind.USER, steps);
			return;
		}
		if (this.scope.has(Feature.HANGS) && state.get(Field.FAULTS) < this.scope.faults()) {
			go(name, "handler hangs", state.counted(Field.FAULTS), consumer.in(Phase.HANGING), Kind.FAULT, steps);
		}
		go(name, "handler succeeds", handled, consumer.in(Phase.ACKNOWLEDGING), Kind.SYSTEM, steps);
		go(name, "handler fails", state, consumer.in(Phase.RETRYING), Kind.SYSTEM, steps);
	}

	private void settle(State state, ConsumerName name, Consumer consumer, Steps steps) {
		Script script = switch (consumer.phase()) {
			case ACKNOWLEDGING -> this.scripts.acknowledge(state, consumer.entry(), false);
			case EXPIRING ->
				this.scripts.acknowledge(state, consumer.entry(), consumer.expiry() == ReadExpiry.OWN_EXPIRY);
			case RETRYING, ABANDONING -> this.scripts.retryOrDeadLetter(state, consumer.entry());
			default -> this.scripts.release(state, consumer.entry());
		};
		Answer answer = script.answer();
		Sent lost = (consumer.sent() == Sent.EXECUTED || answer == Answer.SETTLED) ? Sent.EXECUTED
				: Sent.WITHOUT_EFFECT;
		Sent stopped = (consumer.sent() == Sent.EXECUTED) ? Sent.EXECUTED : Sent.WITHOUT_EFFECT;
		new ScriptStep(state, script, Kind.SYSTEM)
			.words(() -> name + " " + script.transition().words() + ": " + answer.words())
			.breaks((after) -> broken(state, after, consumer, answer))
			.answered((after) -> after.with(name, Consumer.IDLE))
			.answerLost((after) -> after.with(name, consumer.sent(lost)))
			.stopped((after) -> after.with(name, consumer.sent(stopped)))
			.into(steps, this.scope);
		if (consumer.sent() != Sent.NOT_YET) {
			go(name, "gives up", state, Consumer.IDLE, Kind.USER, steps);
		}
	}

	private @Nullable Property broken(State state, State after, Consumer consumer, Answer answer) {
		if (answer == Answer.SETTLED && state.message().version() != consumer.version()) {
			return Property.P3;
		}
		boolean repeated = state.failures().lastSettled() == consumer.entry();
		if (repeated && after.failures().failures() > state.failures().failures()) {
			return Property.P8;
		}
		// A consumer that repeats takes SUPERSEDED for "settled before".
		boolean believes = consumer.sent() == Sent.NOT_YET || this.scope.has(Mutation.SUPERSEDED_ON_REPEAT);
		boolean falsely = answer == Answer.SUPERSEDED && consumer.sent() == Sent.EXECUTED;
		return (falsely && believes) ? Property.P7 : null;
	}

	private static void go(ConsumerName name, String words, State state, Consumer consumer, Kind kind, Steps steps) {
		steps.add(() -> name + " " + words, state.with(name, consumer), kind, null);
	}

}
