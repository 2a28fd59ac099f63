package io.delayqueue;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DurationTextTests {

	@ParameterizedTest
	@CsvSource({ "PT0S, 0s", "PT87600H, 3650d", "PT1020S, 17m", "PT1M0.001S, 1m 1ms", "PT-24H, -1d", "PT0.5S, 500ms",
			"PT25H1M1.000000001S, 1d 1h 1m 1s 1ns", "PT-0.000000001S, -1ns",
			"PT9223372036854775807S, 106751991167300d 15h 30m 7s",
			"PT-9223372036854775808S, PT-2562047788015215H-30M-8S" })
	void aDurationIsWrittenInTheUnitsOfPeople(Duration duration, String text) {
		assertThat(DurationText.of(duration)).isEqualTo(text);
	}

}
