package io.delayqueue.soak;

import java.io.IOException;

import io.delayqueue.soak.Checker.SoakResult;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The soak: {@code mvn -Psoak verify}. The system properties that start with
 * {@code soak.} are the components of {@link SoakPlan}:
 * {@code -Dsoak.seed=7 -Dsoak.minutes=5 -Dsoak.workers=3 -Dsoak.rate=250 -Dsoak.server=cluster}.
 * Deleting keys is among the faults with {@code -Dsoak.damage=true}. What Redis refuses
 * is looked at once more by itself, for a third of the time.
 */
@Tag("slow")
class SoakIntegrationTests {

	@Test
	@DisplayName("under random faults nothing is lost, early or stuck, and repeated only where a fault explains it")
	void nothingIsLostEarlyOrStuck() throws IOException {
		SoakResult result = SoakRun.result(SoakPlan.asked());

		assertThat(result.accepted()).isPositive();
		assertThat(result.complaints()).isEmpty();
	}

	@Test
	@DisplayName("while Redis answers and refuses no message is repeated, blamed or kept waiting by another one")
	void whatRedisRefusesCostsNoMessageARun() throws IOException {
		SoakResult result = SoakRun.result(SoakPlan.asked().refusing());

		assertThat(result.accepted()).isPositive();
		assertThat(result.complaints()).isEmpty();
		assertThat(result.duplicates()).as("runs that repeated one").isZero();
		assertThat(result.reclaimed()).as("crashes that were counted").isZero();
	}

}
