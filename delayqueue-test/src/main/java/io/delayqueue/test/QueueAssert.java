package io.delayqueue.test;

import java.util.List;

import io.delayqueue.MessageKey;

import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about the messages of a queue and the deliveries to its listener.
 */
public final class QueueAssert extends AbstractAssert<QueueAssert, TestQueue> {

	QueueAssert(TestQueue queue) {
		super(queue, QueueAssert.class);
		as("%s", queue);
	}

	/**
	 * Returns assertions about one message in any state.
	 * @param id the message's id
	 * @return assertions about the message; if messages of several groups have the id,
	 * about the one that {@link MessageKey} describes, and about the deliveries of all
	 */
	public MessageAssert message(String id) {
		return new MessageAssert(this.actual, MessageKey.of(this.actual.name(), id));
	}

	/**
	 * Returns assertions about one message of a group in any state.
	 * @param id the message's id
	 * @param group the group key of the message
	 * @return assertions about the message
	 */
	public MessageAssert message(String id, String group) {
		return new MessageAssert(this.actual, new MessageKey(this.actual.name(), id, group));
	}

	/**
	 * Verifies that a message waits for its due time or for its next attempt.
	 * @param id the message's id
	 * @return assertions about the message
	 */
	public MessageAssert hasScheduled(String id) {
		return message(id).isScheduled();
	}

	/**
	 * Verifies that the queue does not contain a message: the message was handled,
	 * cancelled, or never scheduled.
	 * @param id the message's id
	 * @return this
	 */
	public QueueAssert hasNo(String id) {
		message(id).doesNotExist();
		return this;
	}

	/**
	 * Verifies the messages that were delivered to the listener in this test, and their
	 * order. The id of a message that was delivered several times must be listed once for
	 * each delivery.
	 * @param ids the messages' ids
	 * @return this
	 */
	public QueueAssert hasDelivered(String... ids) {
		List<String> delivered = this.actual.deliveries().stream().map(RecordedDelivery::id).toList();
		if (!delivered.equals(List.of(ids))) {
			throw failure("Expected deliveries of %s but there were %s%s", List.of(ids), delivered,
					this.actual.withoutListener());
		}
		return this;
	}

	/**
	 * Verifies that no message was delivered to the listener in this test.
	 * @return this
	 */
	public QueueAssert hasDeliveredNothing() {
		return hasDelivered();
	}

}
