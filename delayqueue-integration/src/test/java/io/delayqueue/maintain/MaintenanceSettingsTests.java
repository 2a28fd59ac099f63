package io.delayqueue.maintain;

import java.time.Duration;

import io.delayqueue.DurationText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class MaintenanceSettingsTests {

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT9.999S", "PT24H0.001S", "PT-1M" })
	void intervalOutOfBoundsIsRejected(String interval) {
		assertThatIllegalArgumentException().isThrownBy(() -> MaintenanceSettings.every(Duration.parse(interval)))
			.withMessage("Maintenance: interval is " + DurationText.of(Duration.parse(interval))
					+ " but must be from 10s to 1d");
	}

	@Test
	void auditRunsEveryMinuteOrOncePerShorterInterval() {
		assertThat(MaintenanceSettings.every(Duration.ofHours(24)).auditInterval()).isEqualTo(Duration.ofMinutes(1));
		assertThat(MaintenanceSettings.every(Duration.ofSeconds(10)).auditInterval()).isEqualTo(Duration.ofSeconds(10));
	}

}
