package io.delayqueue.operate;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.store.Repairs.Position;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RepairCursorTests {

	@ParameterizedTest
	@CsvSource({ "0, messages, 0", "7, scheduled, 18446744073709551615", "3, ready, 0", "3, ready, (1700000000000-12" })
	void cursorTextIsReadBack(int partition, String of, String at) {
		RepairCursor cursor = new RepairCursor(partition, new Position(of, at));
		assertThat(RepairCursor.parse(cursor.toText(), 8)).isEqualTo(cursor);
	}

	@Test
	void nullBeginsAtFirstPartition() {
		assertThat(RepairCursor.parse(null, 1)).isEqualTo(new RepairCursor(0, Position.BEGIN));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "8.messages.0", "0.messages.", "0..0", "0.done.0", "0.messages.18446744073709551616",
			"0.ready.(1-18446744073709551616", "0.scheduled.(1-1", "0.ready.-", "-1.messages.0", "0.messages.-1",
			"0.messages.0\n", "99999.messages.0" })
	void malformedCursorIsRejected(String text) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> RepairCursor.parse(text, 8))
			.satisfies((refused) -> assertThat(refused.field()).isEqualTo("from"))
			.withMessageContaining("must be the cursor of the previous repair of the queue");
	}

}
