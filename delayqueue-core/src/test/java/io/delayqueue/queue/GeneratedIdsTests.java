package io.delayqueue.queue;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class GeneratedIdsTests {

	private final GeneratedIds ids = new GeneratedIds(Clock.systemUTC());

	@Test
	void idContainsItsPartition() {
		for (int partition = 0; partition < QueueSettings.MAX_PARTITIONS; partition++) {
			assertThat(GeneratedIds.partitionOf(this.ids.next(partition))).isEqualTo(partition);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "00", "i", "I", "L", "O", "U", "-", "/", ":", "@", "[", "\u007f", "\u0080", "\u00b0",
			"\u0141", "\uffff" })
	void idOfAnotherFormContainsNoPartition(String last) {
		String generated = this.ids.next(7);
		String id = generated.substring(0, generated.length() - 1) + last;
		assertThat(GeneratedIds.partitionOf(id)).isEqualTo(-1);
	}

	/** Two generators, as of two processes that were restored from one memory image. */
	@Test
	void clonesOfProcessGenerateDifferentIdsInSameMillisecond() {
		Clock clock = Clock.fixed(Instant.now(), ZoneOffset.UTC);
		GeneratedIds one = new GeneratedIds(clock, RandomBitsTests.clonedGenerator()::draw);
		GeneratedIds other = new GeneratedIds(clock, RandomBitsTests.clonedGenerator()::draw);
		Set<String> all = new HashSet<>();
		for (int i = 0; i < 1000; i++) {
			all.add(one.next(0));
			all.add(other.next(0));
		}
		assertThat(all).hasSize(2000);
	}

	@Test
	void idsOfOneMillisecondDifferIfAnyRandomBitDiffers() {
		Clock clock = Clock.fixed(Instant.now(), ZoneOffset.UTC);
		Set<String> all = new HashSet<>();
		all.add(new GeneratedIds(clock, () -> 0).next(0));
		for (int bit = 0; bit < Long.SIZE; bit++) {
			long bits = 1L << bit;
			all.add(new GeneratedIds(clock, () -> bits).next(0));
		}
		assertThat(all).hasSize(Long.SIZE + 1).allMatch((id) -> id.length() == 24);
	}

	@Test
	void millisecondFitsManyIdsForAnyRandomBits() {
		Clock clock = Clock.fixed(Instant.now(), ZoneOffset.UTC);
		GeneratedIds ids = new GeneratedIds(clock, () -> -1);
		String first = ids.next(0);
		String last = first;
		for (int i = 0; i < 500_000; i++) {
			last = ids.next(0);
		}
		assertThat(last).isGreaterThan(first).startsWith(first.substring(0, 9));
	}

	@Test
	void idsIncreaseStrictly() {
		String before = this.ids.next(1023);
		for (int i = 0; i < 1000; i++) {
			String next = this.ids.next(i);
			assertThat(next).isGreaterThan(before);
			before = next;
		}
	}

}
