package io.delayqueue.model;

import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Holds satisfy every property in every state. */
class HoldModelTests {

	@ParameterizedTest(name = "{0} calls, {1} stopped scripts")
	@CsvSource({ "3, 0", "3, 1" })
	void everyReachableStateSatisfiesAllProperties(int calls, int stops) {
		HoldModel model = new HoldModel(calls, stops, null);
		Exploration exploration = new Exploration(model, model).complete();
		assertThat(exploration.violations().keySet()).as(exploration::toString).isEmpty();
	}

	@ParameterizedTest(name = "{0}")
	@EnumSource
	void everyMutationBreaksItsProperty(HoldMutation mutation) {
		HoldModel model = new HoldModel(3, 1, mutation);
		Exploration exploration = new Exploration(model, model).until(Set.of(mutation.caughtBy()));
		assertThat(exploration.violations()).as(exploration::toString).containsKey(mutation.caughtBy());
	}

}
