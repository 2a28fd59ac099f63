package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.queue.Partition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * For how long a consumer can skip its check after another component's check.
 */
class PartitionStateTests {

	private static final long HOUR = Duration.ofHours(1).toNanos();

	private static final long MINUTE = Duration.ofMinutes(1).toNanos();

	private final PartitionState state = TestActors.first(TestActors.state(new Partition("orders", 0), 1));

	@Test
	void withoutCheckNoTimeIsLeft() {
		assertThat(this.state.emptyFor(MINUTE)).isNotPositive();
	}

	@Test
	void timeCountsFromCheck() {
		this.state.empty(System.nanoTime() - HOUR + MINUTE);

		assertThat(this.state.emptyFor(HOUR)).isPositive().isLessThanOrEqualTo(MINUTE);
		assertThat(this.state.emptyFor(HOUR - MINUTE)).isNotPositive();
	}

	@Test
	void forgottenCheckDoesNotCount() {
		this.state.empty(System.nanoTime());

		this.state.notEmpty();

		assertThat(this.state.emptyFor(MINUTE)).isNotPositive();
	}

	@Test
	void checkFromBeforeForgetDoesNotCountWhenReportedLater() {
		long before = System.nanoTime();
		this.state.notEmpty();

		this.state.empty(before);
		assertThat(this.state.emptyFor(MINUTE)).isNotPositive();

		this.state.empty(System.nanoTime() + 1);
		assertThat(this.state.emptyFor(MINUTE)).isPositive();
	}

}
