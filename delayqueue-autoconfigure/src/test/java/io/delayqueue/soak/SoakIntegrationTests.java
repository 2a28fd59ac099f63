package io.delayqueue.soak;

import java.io.IOException;

import io.delayqueue.soak.Checker.Verdict;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The soak, and the test of the soak: {@code mvn -Psoak verify} and
 * {@code mvn -Pmutations verify}. The system properties that start with {@code soak.} are
 * the components of {@link SoakPlan}:
 * {@code -Dsoak.seed=7 -Dsoak.minutes=5 -Dsoak.workers=3 -Dsoak.rate=250 -Dsoak.server=cluster}.
 * Deleting keys is among the faults with {@code -Dsoak.damage=true}.
 */
@Tag("slow")
class SoakIntegrationTests {

	/** Long enough for each mutation to show. */
	private static final int SECONDS_OF_A_MUTATION = 25;

	@Test
	@DisplayName("under random faults nothing is lost, early or stuck, and repeated only where a fault explains it")
	void nothingIsLostEarlyOrStuck() throws IOException {
		Verdict verdict = run(SoakPlan.asked());

		assertThat(verdict.accepted()).isPositive();
		assertThat(verdict.complaints()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	@DisplayName("the soak notices when a script is broken")
	void aMutationIsNoticed(Mutation mutation) throws IOException {
		Verdict verdict = run(SoakPlan.asked(mutation, SECONDS_OF_A_MUTATION));

		assertThat(verdict.complaints()).isNotEmpty();
	}

	/** So that it was the mutation that was noticed, and not the load or the faults. */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
	@DisplayName("without the mutation the same soak has nothing to complain about")
	void withoutTheMutationTheSameIsFine(Mutation mutation) throws IOException {
		Verdict verdict = run(SoakPlan.asked(mutation, SECONDS_OF_A_MUTATION).sound());

		assertThat(verdict.complaints()).isEmpty();
	}

	private static Verdict run(SoakPlan plan) throws IOException {
		SoakRun run = new SoakRun(plan);
		Verdict verdict = run.run();
		// Not by a logger: the applications of the soak have set it to warnings
		System.out.println(plan + "\nfaults: " + run.faults() + "\n" + verdict);
		return verdict;
	}

}
