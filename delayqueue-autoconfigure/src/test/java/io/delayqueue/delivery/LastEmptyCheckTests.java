package io.delayqueue.delivery;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * For how long a consumer can skip its check after another component's check.
 */
class LastEmptyCheckTests {

	private static final long HOUR = Duration.ofHours(1).toNanos();

	private static final long MINUTE = Duration.ofMinutes(1).toNanos();

	private final LastEmptyCheck empty = new LastEmptyCheck();

	@Test
	void withoutCheckNoTimeIsLeft() {
		assertThat(this.empty.left(MINUTE)).isNotPositive();
	}

	@Test
	void timeCountsFromCheck() {
		this.empty.seen(System.nanoTime() - HOUR + MINUTE);

		assertThat(this.empty.left(HOUR)).isPositive().isLessThanOrEqualTo(MINUTE);
		assertThat(this.empty.left(HOUR - MINUTE)).isNotPositive();
	}

	@Test
	void forgottenCheckDoesNotCount() {
		this.empty.seen(System.nanoTime());

		this.empty.forget();

		assertThat(this.empty.left(MINUTE)).isNotPositive();
	}

	@Test
	void checkFromBeforeForgetDoesNotCountWhenReportedLater() {
		long before = System.nanoTime();
		this.empty.forget();

		this.empty.seen(before);
		assertThat(this.empty.left(MINUTE)).isNotPositive();

		this.empty.seen(System.nanoTime() + 1);
		assertThat(this.empty.left(MINUTE)).isPositive();
	}

}
