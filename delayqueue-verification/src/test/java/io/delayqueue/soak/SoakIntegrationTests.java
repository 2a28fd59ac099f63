package io.delayqueue.soak;

import java.io.IOException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The soak: {@code mvn -Psoak verify}. The system properties that start with {@code
 * soak.} are the components of {@link SoakPlan}: {@code -Dsoak.seed=7 -Dsoak.minutes=5
 * -Dsoak.workers=3 -Dsoak.rate=250 -Dsoak.server=cluster}. {@code -Dsoak.damage=true}
 * adds the deletion of keys to the faults. A second soak, a third as long, has refusals
 * only.
 */
@Tag("slow")
class SoakIntegrationTests {

	@Test
	@DisplayName("under random faults no message is lost, early or stuck, and each repeated run is explained by a fault")
	void nothingIsLostEarlyOrStuck() throws IOException {
		SoakResult result = SoakRun.result(SoakPlan.fromProperties());

		assertThat(result.accepted()).isPositive();
		assertThat(result.complaints()).isEmpty();
	}

	@Test
	@DisplayName("while Redis refuses commands no message is repeated, counted as a crash or delayed by another one")
	void refusedCommandsRepeatNoRun() throws IOException {
		SoakResult result = SoakRun.result(SoakPlan.fromProperties().refusing());

		assertThat(result.accepted()).isPositive();
		assertThat(result.complaints()).isEmpty();
		assertThat(result.duplicates()).as("repeated runs").isZero();
		assertThat(result.reclaimed()).as("counted crashes").isZero();
	}

}
