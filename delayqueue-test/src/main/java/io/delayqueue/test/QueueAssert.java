package io.delayqueue.test;

import java.util.List;

import org.assertj.core.api.AbstractAssert;

/**
 * Asserts what a queue holds, and what its listener was given.
 */
public final class QueueAssert extends AbstractAssert<QueueAssert, TestQueue> {

	QueueAssert(TestQueue queue) {
		super(queue, QueueAssert.class);
		as("%s", queue);
	}

	/**
	 * Goes on with one message, whatever has become of it.
	 * @param id the message's id
	 * @return assertions about the message
	 */
	public MessageAssert message(String id) {
		return new MessageAssert(this.actual, id);
	}

	/**
	 * Verifies that a message waits for its time, or for its next attempt.
	 * @param id the message's id
	 * @return assertions about the message
	 */
	public MessageAssert hasScheduled(String id) {
		return message(id).isScheduled();
	}

	/**
	 * Verifies that the queue has no such message: it was handled, cancelled, or never
	 * scheduled.
	 * @param id the message's id
	 * @return this
	 */
	public QueueAssert hasNo(String id) {
		message(id).doesNotExist();
		return this;
	}

	/**
	 * Verifies of which messages the listener was given in this test, and in which order;
	 * a message that was delivered several times is named as often.
	 * @param ids the messages' ids
	 * @return this
	 */
	public QueueAssert hasDelivered(String... ids) {
		List<String> delivered = this.actual.deliveries().stream().map(RecordedDelivery::id).toList();
		if (!delivered.equals(List.of(ids))) {
			throw failure("Expected deliveries of %s but there were %s", List.of(ids), delivered);
		}
		return this;
	}

	/**
	 * Verifies that the listener was given nothing in this test.
	 * @return this
	 */
	public QueueAssert hasDeliveredNothing() {
		return hasDelivered();
	}

}
