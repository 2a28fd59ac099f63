package io.delayqueue.model;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** States keep the values that are set, and equal systems have equal states. */
class StateModelTests {

	@ParameterizedTest
	@EnumSource
	void everyFieldHasItsOwnBits(Field field) {
		State state = State.START.with(field, 1);
		assertThat(List.of(Field.values())).filteredOn(state::has).containsExactly(field);
		assertThat(state.with(field, 0)).isEqualTo(State.START);
	}

	@ParameterizedTest
	@EnumSource
	void valuesThatDoNotFitAreRejected(Field field) {
		assertThatIllegalArgumentException().isThrownBy(() -> State.START.with(field, 1 << 28))
			.withMessageContaining("does not fit");
	}

	@Test
	void statesThatDifferInNamesOnlyAreEqual() {
		State one = State.START.with(new ReadyStream(0).add(2).deliver(2, ConsumerName.A.holder()).add(5))
			.with(ConsumerName.A, Consumer.reading(2))
			.with(Field.ENTRIES, 5);
		State other = State.START.with(new ReadyStream(0).add(1).deliver(1, ConsumerName.B.holder()).add(3))
			.with(ConsumerName.B, Consumer.reading(1))
			.with(Field.ENTRIES, 3);
		assertThat(CanonicalForm.of(one)).isEqualTo(CanonicalForm.of(other)).isNotEqualTo(one);
	}

	@Test
	void statesThatDifferInTheOrderOfEntriesAreDifferent() {
		State one = State.START.with(new ReadyStream(0).add(1).add(2)).with(Field.ENTRIES, 1);
		State other = State.START.with(new ReadyStream(0).add(1).add(2)).with(Field.ENTRIES, 2);
		assertThat(CanonicalForm.of(one)).isNotEqualTo(CanonicalForm.of(other));
	}

}
