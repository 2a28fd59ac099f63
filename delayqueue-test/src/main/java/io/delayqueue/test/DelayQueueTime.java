package io.delayqueue.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;

import org.springframework.util.Assert;

/**
 * The time of the messages, which a test can let pass at once. It is Redis's own until a
 * test advances it, and goes on at its usual pace between two advances.
 *
 * <p>
 * What travels is all that the engine knows of time: due times, retries and their
 * back-off, expiry, the windows in which ids are remembered. What does not: the
 * visibility timeout, the wait of a batch for more messages, and clocks of the
 * application; give those {@link #clock()}. Safe for use by several threads.
 */
public final class DelayQueueTime {

	/** How long at most to wait for what has come due at one moment. */
	static final Duration PATIENCE = Duration.ofSeconds(10);

	private final TimeShift shift;

	private final InstantSource redis;

	private final DueWork work;

	DelayQueueTime(TimeShift shift, InstantSource redis, DueWork work) {
		this.shift = shift;
		this.redis = redis;
		this.work = work;
	}

	/**
	 * The time of the messages.
	 * @return Redis's own, and what was advanced
	 */
	public Instant now() {
		return this.redis.instant().plusMillis(this.shift.millis());
	}

	/**
	 * A clock at the {@linkplain #now() time of the messages}, for code under test that
	 * asks what time it is.
	 * @return a clock in UTC; each look at it asks Redis
	 */
	public Clock clock() {
		return new MessageClock(ZoneOffset.UTC);
	}

	/**
	 * Lets time pass, as it would: goes to one due time after the other, and waits at
	 * each until what is due is handled, so that what handlers schedule, and what is
	 * tried again, has its turn as well if it is due by then. Nothing later becomes due.
	 * When this returns, nothing is due in any queue that has a running listener here;
	 * queues that are paused or have none are not waited for.
	 * @param duration how much, 0 or more; 0 waits for what is due already
	 * @throws AssertionError if what was due at one moment was not handled within 10
	 * seconds; it names the messages
	 */
	public void advance(Duration duration) {
		Assert.isTrue(!duration.isNegative(), () -> "duration is " + duration + " but must be 0 or more");
		advanceTo(now().plus(duration));
	}

	/**
	 * Lets time pass until an instant, as {@link #advance} does. A message that was
	 * scheduled for that instant is due then.
	 * @param instant when; nothing passes if that has been already. Due times are whole
	 * milliseconds: a fraction counts as the next one
	 * @throws AssertionError as for {@link #advance}
	 */
	public void advanceTo(Instant instant) {
		Instant end = Instant.ofEpochMilli(instant.plusNanos(999_999).toEpochMilli());
		this.work.await(PATIENCE);
		Instant next = this.work.nextDue();
		while (next != null && next.isBefore(end)) {
			goTo(next);
			this.work.await(PATIENCE);
			next = this.work.nextDue();
		}
		goTo(end);
		this.work.await(PATIENCE);
	}

	private void goTo(Instant instant) {
		this.shift.add(Math.max(0, instant.toEpochMilli() - now().toEpochMilli()));
	}

	private final class MessageClock extends Clock {

		private final ZoneId zone;

		MessageClock(ZoneId zone) {
			this.zone = zone;
		}

		@Override
		public ZoneId getZone() {
			return this.zone;
		}

		@Override
		public Clock withZone(ZoneId other) {
			return new MessageClock(other);
		}

		@Override
		public Instant instant() {
			return now();
		}

	}

}
