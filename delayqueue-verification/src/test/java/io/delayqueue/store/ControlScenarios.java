package io.delayqueue.store;

import java.util.stream.Stream;

import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.Scenario.When;

import static io.delayqueue.store.Scenarios.of;
import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static io.delayqueue.store.States.draining;
import static io.delayqueue.store.States.held;
import static io.delayqueue.store.States.nothing;
import static io.delayqueue.store.States.paused;
import static io.delayqueue.store.States.pending;
import static io.delayqueue.store.States.ready;
import static io.delayqueue.store.States.scheduled;

/**
 * Calls that pause, drain or hold a partition, and calls that end this.
 */
final class ControlScenarios {

	private ControlScenarios() {
	}

	static Stream<Scenario> all() {
		return Stream.concat(queueControl(), holding());
	}

	private static Stream<Scenario> queueControl() {
		return Stream.of(of("control: pause", ready("a"), (store, held) -> store.control(Switch.PAUSED, true)),
				of("control: pause, paused", paused(pending("a")), (store, held) -> store.control(Switch.PAUSED, true)),
				of("control: resume", paused(ready("a")), (store, held) -> store.control(Switch.PAUSED, false)),
				of("control: drain, paused", paused(scheduled("a")),
						(store, held) -> store.control(Switch.DRAINING, true)),
				of("control: reopen", draining(paused(scheduled("a"))),
						(store, held) -> store.control(Switch.DRAINING, false)),
				of("control: reopen, open", nothing(), (store, held) -> store.control(Switch.DRAINING, false)));
	}

	private static Stream<Scenario> holding() {
		When hold = (store, held) -> new Holds(store.calls()).hold(store.partition(), States.hold(null, FAR)).answer();
		When ofGroup = (store, held) -> new Holds(store.calls()).hold(store.partition(), States.hold("g", FAR))
			.answer();
		When past = (store, held) -> new Holds(store.calls()).hold(store.partition(), States.hold("g", DUE)).answer();
		When end = (store, held) -> {
			new Holds(store.calls()).end(store.partition(), "g");
			return "ended";
		};
		When endAll = (store, held) -> {
			new Holds(store.calls()).endAll(store.partition());
			return "ended";
		};
		return Stream.of(of("hold: not held", scheduled("a"), hold), of("hold: held", held(scheduled("a")), hold),
				of("hold: group", held(scheduled("a")), ofGroup), of("hold: past", held(scheduled("a")), past),
				of("end-holds: not held", scheduled("a"), endAll), of("end-holds: held", held(scheduled("a")), endAll),
				of("end-holds: group, not held", held(scheduled("a")), end));
	}

}
