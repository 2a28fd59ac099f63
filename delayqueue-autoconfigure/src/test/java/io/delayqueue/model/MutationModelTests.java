package io.delayqueue.model;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The check notices when one thing about the design is wrong. */
class MutationModelTests {

	@ParameterizedTest(name = "{0}")
	@EnumSource
	void isNoticed(Mutation mutation) {
		Exploration exploration = new Exploration(mutation.scope()).until(mutation.caughtBy());
		assertThat(exploration.violations().keySet()).as(exploration::toString).containsAll(mutation.caughtBy());
	}

}
