package io.delayqueue.model;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.model.Scope.Feature;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The design satisfies every property in every state of these scopes. With {@code
 * -Dmodel.depth=deep} the slow tests also explore the widest scopes, which takes minutes
 * and 4 GB of heap.
 */
@Tag("slow")
class DesignModelTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource("scopes")
	void everyReachableStateSatisfiesAllProperties(Scope scope) {
		Exploration exploration = new Exploration(scope).complete();
		assertThat(exploration.violations().keySet()).as(exploration::toString).isEmpty();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("widerScopes")
	void widerScopesSatisfyAllProperties(Scope scope) {
		everyReachableStateSatisfiesAllProperties(scope);
	}

	static Stream<Scope> scopes() {
		return Stream.of(Scope.of(2, 1, 0), Scope.of(2, 0, 1), Scope.of(1, 1, 1, Feature.values()),
				Scope.of(1, 0, 2, Feature.values()), Scope.of(1, 2, 0, Feature.HANGS, Feature.REFUSALS));
	}

	static Stream<Scope> widerScopes() {
		Stream<Scope> wide = Stream.of(Scope.of(2, 1, 1), Scope.of(3, 1, 0, Feature.POSTPONE));
		Stream<Scope> widest = Stream.of(Scope.of(2, 2, 0, Feature.values()), Scope.of(3, 1, 0, Feature.values()),
				Scope.of(3, 0, 1, Feature.values()), Scope.of(2, 1, 1, Feature.values()),
				Scope.of(2, 0, 2, Feature.values()), Scope.of(3, 2, 0, Feature.values()), Scope.of(3, 0, 2),
				Scope.of(2, 1, 2), Scope.of(3, 1, 1), Scope.of(2, 2, 1));
		return "deep".equals(System.getProperty("model.depth")) ? Stream.concat(wide, widest) : wide;
	}

	@Test
	void everyScriptRunsAndReturnsEveryAnswer() {
		Exploration failing = new Exploration(Scope.of(2, 1, 0, Feature.values())).complete();
		Exploration stopping = new Exploration(Scope.of(2, 0, 1, Feature.values())).complete();
		assertThat(failing.violations()).as(failing::toString).isEmpty();
		assertThat(stopping.violations()).as(stopping::toString).isEmpty();
		Map<Transition, Set<Answer>> given = failing.answers();
		stopping.answers().forEach((transition, answers) -> given.get(transition).addAll(answers));
		Map<Transition, Set<Answer>> expected = new EnumMap<>(Transition.class);
		for (Transition transition : Transition.values()) {
			expected.put(transition, answers(transition));
		}
		assertThat(given).isEqualTo(expected);
	}

	private static Set<Answer> answers(Transition transition) {
		return switch (transition) {
			case SCHEDULE ->
				EnumSet.of(Answer.CREATED, Answer.DUPLICATE, Answer.DEAD, Answer.DONE, Answer.SUPERSEDED, Answer.ENDED);
			case POSTPONE -> EnumSet.of(Answer.POSTPONED, Answer.CREATED, Answer.SUPERSEDED, Answer.DEAD);
			case REPLACE -> EnumSet.of(Answer.REPLACED, Answer.CREATED, Answer.SUPERSEDED);
			case RESCHEDULE -> EnumSet.of(Answer.RESCHEDULED, Answer.DEAD, Answer.IN_FLIGHT, Answer.NONE);
			case CANCEL -> EnumSet.of(Answer.CANCELLED, Answer.DEAD, Answer.IN_FLIGHT, Answer.NONE, Answer.AS_BEFORE);
			case ACKNOWLEDGE, RETRY, DEAD_LETTER, RELEASE, RECLAIM ->
				EnumSet.of(Answer.SETTLED, Answer.GONE, Answer.SUPERSEDED);
			case SWEEP, PARK, UNPARK -> EnumSet.of(Answer.MOVED);
			case REDRIVE, DISCARD -> EnumSet.of(Answer.MOVED, Answer.NONE, Answer.AS_BEFORE);
			case REPAIR -> EnumSet.of(Answer.MOVED, Answer.NONE);
		};
	}

}
