package io.delayqueue.record;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LastingTokenTests {

	@ParameterizedTest
	@CsvSource({ "PT0.001S, G", "PT1M, G", "PT1M0.001S, H", "PT2M, H", "PT3M, I", "PT1H, M", "PT64M, M", "PT65M, N",
			"PT16384M, U" })
	void theLastCharacterNamesTheNextPowerOfTwoInMinutes(Duration window, String last) {
		assertThat(CallToken.lasting(window)).hasSize(CallToken.LENGTH).endsWith(last);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "PT16385M" })
	void aWindowOutOfBoundsIsRefused(Duration window) {
		assertThatIllegalArgumentException().isThrownBy(() -> CallToken.lasting(window));
	}

	@Test
	void anotherTokenNamesNoWindow() {
		for (int n = 0; n < 1000; n++) {
			assertThat(CallToken.next()).matches(".{10}[0-9A-F]");
		}
	}

}
