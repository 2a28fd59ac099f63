package io.delayqueue.soak;

import java.io.IOException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test of the soak, {@code mvn -Pmutations verify}: the soak must detect a broken
 * script. Takes the arguments of {@link SoakIntegrationTests}.
 */
@Tag("mutations")
class SoakMutationsIntegrationTests {

	/** Long enough to detect each mutation. */
	private static final int SECONDS_OF_A_MUTATION = 25;

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	@DisplayName("the soak detects a broken script")
	void mutationIsDetected(Mutation mutation) throws IOException {
		SoakResult result = SoakRun.result(SoakPlan.fromProperties(mutation, SECONDS_OF_A_MUTATION));

		assertThat(result.complaints()).isNotEmpty();
		if (mutation.isDetectedInAnswersOnly()) {
			assertThat(result.violations()).as("violations besides wrong answers").isEmpty();
		}
	}

	/** Proves that the mutation was detected, and not the load or the faults. */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	@DisplayName("without the mutation the same soak finds no violation")
	void sameSoakWithoutTheMutationIsSound(Mutation mutation) throws IOException {
		SoakResult result = SoakRun.result(SoakPlan.fromProperties(mutation, SECONDS_OF_A_MUTATION).sound());

		assertThat(result.complaints()).isEmpty();
	}

}
