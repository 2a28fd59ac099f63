package io.delayqueue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SortableIdTests {

	private static final int LENGTH = 20;

	/** A Snowflake id of 2013, above 2^53: its neighbours have the same double value. */
	private static final long SNOWFLAKE = 215857550229364736L;

	@Property(tries = 20_000)
	void idsAreOrderedLikeTheirNumbers(@ForAll long one, @ForAll long other) {
		assertOrder(one, other);
	}

	@Property(tries = 5_000)
	void neighboursAreInOrder(@ForAll long one) {
		if (one < Long.MAX_VALUE) {
			assertOrder(one, one + 1);
		}
	}

	@Property(tries = 20_000)
	void everyNumberIsRestoredFromItsId(@ForAll long number) {
		String id = SortableId.of(number);
		assertThat(id).hasSize(LENGTH).matches("[np]\\d{19}");
		assertThat(SortableId.toLong(id)).isEqualTo(number);
		assertThat(Rules.id(id)).isEqualTo(id);
	}

	@ParameterizedTest
	@ValueSource(longs = { Long.MIN_VALUE, Long.MIN_VALUE + 1, Integer.MIN_VALUE, -10, -9, -1, 0, 1, 9, 10, 99, 100,
			Integer.MAX_VALUE, 9_007_199_254_740_991L, 9_007_199_254_740_992L, 9_007_199_254_740_993L,
			Long.MAX_VALUE - 1, Long.MAX_VALUE })
	void edgeCasesAreRestoredAndInOrder(long number) {
		assertThat(SortableId.toLong(SortableId.of(number))).isEqualTo(number);
		for (long other : new long[] { Long.MIN_VALUE, -1, 0, 1, SNOWFLAKE, Long.MAX_VALUE }) {
			assertOrder(number, other);
		}
	}

	@Test
	void numbersWithTheSameDoubleValueHaveDifferentIds() {
		assertThat((double) SNOWFLAKE).isEqualTo((double) (SNOWFLAKE + 1));
		for (long difference : new long[] { 1, 3 }) {
			assertThat(SortableId.of(SNOWFLAKE)).isLessThan(SortableId.of(SNOWFLAKE + difference));
			assertThat(SortableId.toLong(SortableId.of(SNOWFLAKE + difference))).isEqualTo(SNOWFLAKE + difference);
		}
		assertThat(SortableId.of(SNOWFLAKE)).isEqualTo("p0215857550229364736");
	}

	@Test
	void theFormIsAsDocumented() {
		assertThat(SortableId.of(0)).isEqualTo("p0000000000000000000");
		assertThat(SortableId.of(42)).isEqualTo("p0000000000000000042");
		assertThat(SortableId.of(Long.MAX_VALUE)).isEqualTo("p9223372036854775807");
		assertThat(SortableId.of(-1)).isEqualTo("n9223372036854775807");
		assertThat(SortableId.of(Long.MIN_VALUE)).isEqualTo("n0000000000000000000");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "p", "0000000000000000000", "q0000000000000000000", "p000000000000000000",
			"p00000000000000000000", "p9223372036854775808", "n9223372036854775808", "p-000000000000000001",
			"p+000000000000000001", "p000000000000000000x", "p00000000000000000٤٢", "P0000000000000000042" })
	void invalidFormsAreRejected(String id) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> SortableId.toLong(id))
			.withMessageContaining("sortable id is '" + id + "'")
			.withMessageContaining("'p' or 'n' and 19 digits")
			.satisfies((problem) -> assertThat(problem.field()).isEqualTo("sortable id"));
	}

	/** Compares bytes, as Redis does for members with equal scores. */
	private static void assertOrder(long one, long other) {
		int order = Arrays.compareUnsigned(SortableId.of(one).getBytes(StandardCharsets.UTF_8),
				SortableId.of(other).getBytes(StandardCharsets.UTF_8));
		assertThat(Integer.signum(order)).isEqualTo(Long.compare(one, other));
	}

}
