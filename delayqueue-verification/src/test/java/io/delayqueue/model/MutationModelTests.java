package io.delayqueue.model;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Each single fault in the design breaks the properties that must detect it. */
@Tag("slow")
class MutationModelTests {

	@ParameterizedTest(name = "{0}")
	@EnumSource
	void everyMutationBreaksItsProperties(Mutation mutation) {
		Exploration exploration = new Exploration(mutation.scope()).until(mutation.caughtBy());
		assertThat(exploration.violations().keySet()).as(exploration::toString).containsAll(mutation.caughtBy());
	}

}
