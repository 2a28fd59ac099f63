package io.delayqueue.test;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.delayqueue.DurationText;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.admin.DeadLetter;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about one message. Each assertion reads the current state of the message.
 */
public final class MessageAssert extends AbstractAssert<MessageAssert, TestQueue> {

	/**
	 * The time that may pass between the scheduling of a message and an assertion about
	 * its remaining delay.
	 */
	static final Duration TOLERANCE = Duration.ofSeconds(5);

	private final MessageKey key;

	MessageAssert(TestQueue queue, MessageKey key) {
		super(queue, MessageAssert.class);
		this.key = key;
		as("message '%s'%s of %s", key.id(), (key.group() != null) ? " of group '" + key.group() + "'" : "", queue);
	}

	/**
	 * Verifies that the message waits for its due time or for its next attempt.
	 * @return this
	 */
	public MessageAssert isScheduled() {
		return isIn(MessageState.SCHEDULED);
	}

	/**
	 * Verifies the state of the message.
	 * @param state the expected state
	 * @return this
	 */
	public MessageAssert isIn(MessageState state) {
		MessageSnapshot found = required();
		if (found.state() != state) {
			throw failure("Expected to be %s but is %s", state, found);
		}
		return this;
	}

	/**
	 * Verifies the remaining delay of the message or of its next attempt, by the
	 * {@linkplain DelayQueueTime time of the messages}. Because time passes while a test
	 * runs, the remaining delay may be up to 5 seconds shorter than the expected delay,
	 * but never longer.
	 * @param delay the expected delay
	 * @return this
	 */
	public MessageAssert dueIn(Duration delay) {
		Instant now = this.actual.time().now();
		Duration left = Duration.between(now, nextAttempt(required()));
		if (left.compareTo(delay) > 0 || left.compareTo(delay.minus(TOLERANCE)) < 0) {
			throw failure("Expected to be due in %s (or at most %s less) but is due in %s", DurationText.of(delay),
					DurationText.of(TOLERANCE), DurationText.of(left.truncatedTo(ChronoUnit.MILLIS)));
		}
		return this;
	}

	/**
	 * Verifies the due time of the message or of its next attempt.
	 * @param instant the expected instant, compared in whole milliseconds
	 * @return this
	 */
	public MessageAssert dueAt(Instant instant) {
		Instant due = nextAttempt(required());
		if (due.toEpochMilli() != instant.toEpochMilli()) {
			throw failure("Expected to be due at %s but is due at %s", instant, due);
		}
		return this;
	}

	/**
	 * Verifies that the listener has handled the message without a failure, and that the
	 * message is removed.
	 * @return this
	 */
	public MessageAssert wasHandled() {
		if (deliveries().stream().noneMatch(RecordedDelivery::isHandled)) {
			throw failure("Expected to have been handled but %s, and %s", described(), state());
		}
		return doesNotExist();
	}

	/**
	 * Verifies how often the message was delivered to the listener.
	 * @param times the number of deliveries, 0 or more
	 * @return this
	 */
	public MessageAssert wasDeliveredTimes(int times) {
		if (deliveries().size() != times) {
			throw failure("Expected %s deliveries but %s", times, described());
		}
		return this;
	}

	/**
	 * Verifies that the message was not delivered to the listener.
	 * @return this
	 */
	public MessageAssert wasNotDelivered() {
		return wasDeliveredTimes(0);
	}

	/**
	 * Verifies that the queue does not contain the message: the message was handled,
	 * cancelled, or never scheduled.
	 * @return this
	 */
	public MessageAssert doesNotExist() {
		this.actual.find(this.key).filter((found) -> found.state() != MessageState.FINISHED).ifPresent((found) -> {
			throw failure("Expected not to be in the queue but is %s", found);
		});
		return this;
	}

	/**
	 * Verifies that the message is a dead letter with the given reason.
	 * @param reason the reason, see {@link DeadLetter#reason()}
	 * @return this
	 */
	public MessageAssert isDeadLetteredBecause(String reason) {
		DeadLetter dead = dead();
		if (!dead.reason().equals(reason)) {
			throw failure("Expected to be dead-lettered because of %s but was because of %s: %s", reason, dead.reason(),
					dead.message());
		}
		return this;
	}

	/**
	 * Verifies that the message is a dead letter whose last attempt failed with the given
	 * exception.
	 * @param exception the class of the exception of the last attempt
	 * @return this
	 */
	public MessageAssert isDeadLetteredBecause(Class<? extends Throwable> exception) {
		DeadLetter dead = dead();
		if (!exception.getName().equals(dead.exception())) {
			throw failure("Expected to be dead-lettered because of %s but was because of %s: %s", exception.getName(),
					dead.exception(), dead.message());
		}
		return this;
	}

	private MessageSnapshot required() {
		return this.actual.find(this.key)
			.orElseThrow(() -> failure("Expected to be in the queue but is not; %s", described()));
	}

	private DeadLetter dead() {
		MessageSnapshot found = required();
		if (found.state() != MessageState.DEAD) {
			throw failure("Expected to be dead-lettered but is %s; %s", found, described());
		}
		return this.actual.deadLetter(new MessageKey(found.queue(), found.id(), found.group()))
			.orElseThrow(() -> failure("Expected to be dead-lettered but is not any more"));
	}

	private Instant nextAttempt(MessageSnapshot found) {
		Instant next = found.nextAttemptAt();
		if (next == null) {
			throw failure("Expected to wait for its due time but is %s", found);
		}
		return next;
	}

	private List<RecordedDelivery> deliveries() {
		return this.actual.deliveries()
			.stream()
			.filter((delivery) -> delivery.id().equals(this.key.id()))
			.filter((delivery) -> this.key.group() == null || this.key.group().equals(delivery.group()))
			.toList();
	}

	private String described() {
		List<RecordedDelivery> deliveries = deliveries();
		return deliveries.isEmpty() ? "it was never delivered" : "it was delivered: " + deliveries;
	}

	private String state() {
		return this.actual.find(this.key).map((found) -> "it is " + found).orElse("it is not in the queue");
	}

}
