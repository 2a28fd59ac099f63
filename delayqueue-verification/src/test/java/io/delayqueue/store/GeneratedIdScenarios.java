package io.delayqueue.store;

import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Scenario.Given;
import io.delayqueue.store.Scenario.When;

import static io.delayqueue.store.Scenarios.of;
import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static io.delayqueue.store.States.draining;
import static io.delayqueue.store.States.nothing;
import static io.delayqueue.store.States.scheduled;
import static io.delayqueue.store.States.withoutRecord;
import static io.delayqueue.store.TestMessages.made;
import static io.delayqueue.store.TestMessages.message;

/**
 * Calls that schedule messages whose ids are generated, without a group and an expiry, in
 * every relevant state.
 */
final class GeneratedIdScenarios {

	private GeneratedIdScenarios() {
	}

	static Stream<Scenario> all() {
		When one = (store, held) -> store.schedule(made(message("a", DUE, 7)));
		When three = (store, held) -> store.schedule(made(message("a", FAR, 7)), made(message("b", DUE, 8)),
				made(message("c", FAR, 9)));
		When second = (store, held) -> store.schedule(made(message("b", DUE, 8)));
		return Stream.of(of("schedule-new: one", scheduled("other"), one),
				of("schedule-new: several", scheduled("other"), three),
				of("schedule-new: several, one left over in scheduled", withoutRecord("b", scheduled("other", "b")),
						three),
				new Scenario("schedule-new: several, first use", nothing(), three),
				of("schedule-new: draining", draining(scheduled("other")), one),
				of("schedule-new: several, one beyond max-delay", nothing(),
						(store, held) -> store.schedule(made(message("a", FAR, 7)), beyond(),
								made(message("c", DUE, 9)))),
				of("schedule-new: stored before", given(one), one),
				of("schedule-new: handled before", handled(given(one)), one),
				of("schedule-new: several, one stored before", given(second), three),
				of("schedule-new: several, one handled before", handled(given(second)), three),
				of("schedule-new: several, one handled before, draining", draining(handled(given(second))), three));
	}

	private static NewMessage beyond() {
		return made(message("b", Due.in(TestStore.MAX_DELAY.plusDays(1)), 8, ""));
	}

	/** An earlier run of a call. */
	private static Given given(When run) {
		return (partition) -> {
			run.call(partition.store(), List.of());
			return List.of();
		};
	}

	private static Given handled(Given state) {
		return state.andThen((partition, held) -> {
			partition.store().sweep();
			partition.store().acknowledge(partition.store().read("holder").toArray(Entry[]::new));
			return held;
		});
	}

}
