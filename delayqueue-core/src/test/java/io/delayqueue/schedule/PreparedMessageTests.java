package io.delayqueue.schedule;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PreparedMessageTests {

	@ParameterizedTest
	@CsvSource({ "+5000, keep, +3000, keep", "+1000, replace, +0, replace",
			"0000001700000000000, fail, 1700000000000, fail", "+5000, 9000, +3000, 7000", "+500, 1500, +0, 1" })
	void whatIsLeftOfADelay(String due, String policy, String dueLater, String policyLater) {
		PreparedMessage later = new PreparedMessage("orders", "a", null, due, "", policy, new byte[0])
			.after(Duration.ofSeconds(2));
		assertThat(later.due().replaceFirst("^0+", "")).isEqualTo(dueLater);
		assertThat(later.onDuplicate()).isEqualTo(policyLater);
	}

}
