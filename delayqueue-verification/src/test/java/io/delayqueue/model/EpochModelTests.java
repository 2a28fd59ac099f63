package io.delayqueue.model;

import java.util.stream.Stream;

import io.delayqueue.model.EpochScope.Setting;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A change of the partition count satisfies every property in every state. */
@Tag("slow")
class EpochModelTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource("scopes")
	void everyReachableStateSatisfiesAllProperties(EpochScope scope) {
		Exploration exploration = new Exploration(new EpochModel(scope), scope).complete();
		assertThat(exploration.violations().keySet()).as(exploration::toString).isEmpty();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("widerScopes")
	void widerScopesSatisfyAllProperties(EpochScope scope) {
		everyReachableStateSatisfiesAllProperties(scope);
	}

	static Stream<EpochScope> scopes() {
		return Stream.of(EpochScope.of(1, 2, 2, Setting.REPLACE, Setting.CANCEL).failing(1, 0),
				EpochScope.of(1, 2, 2, Setting.TWO_CARRIERS).failing(1, 1),
				EpochScope.of(1, 2, 2, Setting.GENERATED, Setting.CANCEL, Setting.REPLACE).failing(1, 0),
				EpochScope.of(2, 2, 3).failing(0, 1),
				EpochScope.of(2, 2, 2, Setting.COUNT_DEAD, Setting.REPLACE, Setting.CANCEL),
				EpochScope.of(2, 2, 2, Setting.OLD_RELEASE).failing(1, 0), EpochScope.of(2, 2, 3, Setting.OCCUPIED),
				EpochScope.of(3, 2, 3), EpochScope.of(1, 3, 2, Setting.EARLY),
				EpochScope.of(1, 3, 2, Setting.TWO_CARRIERS), EpochScope.of(2, 3, 2).failing(0, 1));
	}

	static Stream<EpochScope> widerScopes() {
		return Stream.of(EpochScope.of(1, 2, 3, Setting.REPLACE, Setting.CANCEL).failing(1, 1),
				EpochScope.of(1, 2, 2, Setting.REPLACE, Setting.CANCEL, Setting.TWO_CARRIERS).failing(1, 1),
				EpochScope.of(2, 3, 2, Setting.CANCEL).failing(0, 1),
				EpochScope.of(2, 2, 3, Setting.COUNT_DEAD, Setting.REPLACE).failing(1, 0),
				EpochScope.of(2, 2, 3, Setting.CANCEL, Setting.TWO_CARRIERS).failing(0, 1),
				EpochScope.of(1, 3, 2, Setting.REPLACE, Setting.TWO_CARRIERS).failing(1, 0),
				EpochScope.of(1, 3, 2, Setting.CANCEL, Setting.TWO_CARRIERS, Setting.EARLY).failing(0, 1),
				EpochScope.of(2, 3, 2, Setting.TWO_CARRIERS, Setting.EARLY).failing(0, 1),
				EpochScope.of(2, 3, 3, Setting.COUNT_DEAD));
	}

	@ParameterizedTest(name = "{0}")
	@EnumSource
	void everyMutationBreaksItsProperties(EpochMutation mutation) {
		EpochScope scope = mutation.scope();
		Exploration exploration = new Exploration(new EpochModel(scope), scope).until(mutation.caughtBy());
		assertThat(exploration.violations().keySet()).as(exploration::toString).containsAll(mutation.caughtBy());
	}

}
