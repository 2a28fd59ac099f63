package io.delayqueue.soak;

import java.io.IOException;

import io.delayqueue.soak.Checker.Verdict;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The soak: {@code mvn -Psoak verify}. The system properties that start with
 * {@code soak.} are the components of {@link SoakPlan}:
 * {@code -Dsoak.seed=7 -Dsoak.minutes=5 -Dsoak.workers=3 -Dsoak.rate=250 -Dsoak.server=cluster}.
 * Deleting keys is among the faults with {@code -Dsoak.damage=true}.
 */
@Tag("slow")
class SoakIntegrationTests {

	@Test
	@DisplayName("under random faults nothing is lost, early or stuck, and repeated only where a fault explains it")
	void nothingIsLostEarlyOrStuck() throws IOException {
		Verdict verdict = SoakRun.verdict(SoakPlan.asked());

		assertThat(verdict.accepted()).isPositive();
		assertThat(verdict.complaints()).isEmpty();
	}

}
