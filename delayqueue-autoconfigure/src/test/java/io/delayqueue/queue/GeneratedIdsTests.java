package io.delayqueue.queue;

import java.time.Clock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class GeneratedIdsTests {

	private final GeneratedIds ids = new GeneratedIds(Clock.systemUTC());

	@Test
	void anIdCarriesItsPartition() {
		for (int partition = 0; partition < QueueSettings.MAX_PARTITIONS; partition++) {
			assertThat(GeneratedIds.partitionOf(this.ids.next(partition))).isEqualTo(partition);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "00", "i", "I", "L", "O", "U", "-", "/", ":", "@", "[", "\u007f", "\u0080", "\u00b0",
			"\u0141", "\uffff" })
	void anIdOfAnotherFormCarriesNone(String last) {
		String generated = this.ids.next(7);
		String id = generated.substring(0, generated.length() - 1) + last;
		assertThat(GeneratedIds.partitionOf(id)).isEqualTo(-1);
	}

	@Test
	void eachIdComesAfterTheOneBefore() {
		String before = this.ids.next(1023);
		for (int i = 0; i < 1000; i++) {
			String next = this.ids.next(i);
			assertThat(next).isGreaterThan(before);
			before = next;
		}
	}

}
