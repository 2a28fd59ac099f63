package io.delayqueue.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;

import io.delayqueue.DurationText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.util.Assert;

/**
 * The time of the messages, which a test can advance. The time of the messages is the
 * time of Redis until a test advances it, and passes at the normal pace between two
 * advances.
 *
 * <p>
 * An advance of the time affects due times, retries and their back-off, expiry, and the
 * time for which the ids of finished messages are kept. An advance does not affect the
 * visibility timeout, the wait of a batch for more messages, or clocks of the
 * application. Code of the application that has to follow the advances can use
 * {@link #clock()}. Safe for use by several threads.
 */
public final class DelayQueueTime implements AopInfrastructureBean {

	/** The maximum time to wait until the messages of one due time are handled. */
	static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final Log logger = LogFactory.getLog(DelayQueueTime.class);

	private final TimeShift shift;

	private final InstantSource redis;

	private final DueWork work;

	DelayQueueTime(TimeShift shift, InstantSource redis, DueWork work) {
		this.shift = shift;
		this.redis = redis;
		this.work = work;
	}

	/**
	 * Returns the time of the messages.
	 * @return the time of Redis plus the durations of all advances
	 */
	public Instant now() {
		return this.redis.instant().plusMillis(this.shift.millis());
	}

	/**
	 * Returns a clock with the {@linkplain #now() time of the messages}, for code under
	 * test that reads the time.
	 * @return a clock in UTC; each read of the clock is a call to Redis
	 */
	public Clock clock() {
		return new MessageClock(ZoneOffset.UTC);
	}

	/**
	 * Advances the time of the messages from one due time to the next, and waits at each
	 * due time until the due messages are handled. Retries, messages that handlers
	 * schedule and occurrences of recurring schedules are handled, too, if they are due
	 * within the duration. Messages that are due later do not become due. When this
	 * method returns, no message is due in any queue that has a running listener in this
	 * application. The method does not wait for queues that are paused or have no
	 * listener. An outbox first sends the calls of all committed transactions.
	 * @param duration the duration, 0 or more; 0 to wait for messages that are due
	 * already
	 * @throws AssertionError if the messages of one due time were not handled within 10
	 * seconds; the message of the error contains the ids of these messages
	 */
	public void advance(Duration duration) {
		Assert.isTrue(!duration.isNegative(),
				() -> "duration is " + DurationText.of(duration) + " but must be 0 or more");
		advanceTo(now().plus(duration));
	}

	/**
	 * Advances the time to an instant, as {@link #advance} does. A message that is
	 * scheduled for the instant becomes due.
	 * @param instant the instant; a past instant does not change the time. The instant is
	 * rounded up to whole milliseconds, as due times are
	 * @throws AssertionError if messages were not handled in time, see {@link #advance}
	 */
	public void advanceTo(Instant instant) {
		Instant end = Instant.ofEpochMilli(instant.plusNanos(999_999).toEpochMilli());
		this.work.await(PATIENCE);
		logManyOccurrences(end);
		Instant next = this.work.nextDue();
		while (next != null && next.isBefore(end)) {
			goTo(next);
			this.work.await(PATIENCE);
			next = this.work.nextDue();
		}
		goTo(end);
		this.work.await(PATIENCE);
	}

	/**
	 * Logs the recurring schedules whose many occurrences make an advance slow, if there
	 * are such schedules.
	 */
	private void logManyOccurrences(Instant end) {
		Instant from = now();
		if (Duration.between(from, end).toSeconds() > ManyOccurrences.MANY) {
			String many = ManyOccurrences.of(this.work.schedules(), from, end);
			if (!many.isEmpty()) {
				logger.info("The advance to " + end
						+ " takes long, because recurring schedules have many occurrences until then: " + many
						+ "; a paused schedule has none");
			}
		}
	}

	/** Waits until outboxes have sent the calls of all committed transactions. */
	void awaitSent() {
		this.work.awaitSent(PATIENCE);
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
