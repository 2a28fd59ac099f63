package io.delayqueue.benchmark;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class GamesWorkloadTests {

	@Test
	void aRunWithoutFaultsPasses() {
		assertThatCode(() -> GamesWorkload.check(0, 0, 0)).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@CsvSource({ "1, 0, 0", "-1, 0, 0", "0, 1, 0", "0, 0, 1" })
	void aRunWithFaultsFails(long left, long early, long again) {
		assertThatExceptionOfType(BenchmarkException.class).isThrownBy(() -> GamesWorkload.check(left, early, again))
			.withMessage("%d reports were left at the end, %d were early, %d were handled twice", left, early, again);
	}

}
