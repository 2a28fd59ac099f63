package io.delayqueue.delivery;

import java.nio.charset.StandardCharsets;

import io.delayqueue.record.MessageRecord;
import io.delayqueue.record.NewerRecordException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ReadResultTests {

	/**
	 * An expired message is not delivered again at once: no process may be able to read
	 * it.
	 */
	@ParameterizedTest
	@CsvSource({ "90000, -1, 110000", "99900, -1, 101000", "1000, -1, 115000", "90000, 105000, 105000",
			"90000, 110001, 110000", "90000, 100000, 110000", "90000, 95000, 110000" })
	void waitGrowsWithLatenessAndEndsAtExpiry(long due, long expiry, long again) {
		byte[] record = "2%016d and content unknown to this version".formatted(due).getBytes(StandardCharsets.UTF_8);
		NewerRecordException newer = catchThrowableOfType(NewerRecordException.class, () -> MessageRecord.from(record));

		assertThat(ReadResult.againMillis(newer, expiry, 100_000)).isEqualTo(again);
	}

}
