package io.delayqueue.soak;

import java.io.IOException;

import io.delayqueue.soak.Checker.SoakResult;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test of the soak, {@code mvn -Pmutations verify}: whether it notices that a script
 * is broken. Takes the arguments of {@link SoakIntegrationTests}.
 */
@Tag("mutations")
class SoakMutationsIntegrationTests {

	/** Long enough for each mutation to show. */
	private static final int SECONDS_OF_A_MUTATION = 25;

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	@DisplayName("the soak notices when a script is broken")
	void aMutationIsNoticed(Mutation mutation) throws IOException {
		SoakResult result = SoakRun.result(SoakPlan.asked(mutation, SECONDS_OF_A_MUTATION));

		assertThat(result.complaints()).isNotEmpty();
		if (mutation.isSeenInAnswersOnly()) {
			assertThat(result.violations()).as("what is seen without the answers").isEmpty();
		}
	}

	/** So that it was the mutation that was noticed, and not the load or the faults. */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	@DisplayName("without the mutation the same soak has nothing to complain about")
	void withoutTheMutationTheSameIsFine(Mutation mutation) throws IOException {
		SoakResult result = SoakRun.result(SoakPlan.asked(mutation, SECONDS_OF_A_MUTATION).sound());

		assertThat(result.complaints()).isEmpty();
	}

}
