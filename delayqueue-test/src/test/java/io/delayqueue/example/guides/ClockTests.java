package io.delayqueue.example.guides;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test moves the clock of the application, and names a listener that is no component.
 */
@DelayQueueTest(ClockTests.Stamps.class)
@Import(TestTime.class)
class ClockTests {

	@Test
	void theClockOfTheApplicationShowsTheTimeOfTheTest(@Autowired DelayQueueOperations operations,
			@Autowired DelayQueueTime time, @Autowired Stamps stamps) {
		Instant due = time.now().plus(Duration.ofDays(7));
		operations.schedule("stamps", "s-1", due);
		time.advanceTo(due);
		assertThat(stamps.last).isBetween(due, due.plusSeconds(60));
	}

	static class Stamps {

		private final Clock clock;

		volatile @Nullable Instant last;

		Stamps(Clock clock) {
			this.clock = clock;
		}

		@DelayedListener(queue = "stamps")
		void stamp(String id) {
			this.last = this.clock.instant();
		}

	}

}
