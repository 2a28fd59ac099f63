package io.delayqueue.actuate;

import io.delayqueue.MessageKey;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * An operation that was carried out, for the log and the observer.
 *
 * @param key the message that was operated, {@code null} if the operation was not on a
 * single message
 * @param messages how many messages were changed
 * @param outcome a description of the result
 */
record OperationRecord(@Nullable MessageKey key, long messages, String outcome) {

	/**
	 * The response to the caller.
	 *
	 * @param body the response body
	 * @param record the operation, {@code null} if nothing was carried out
	 */
	record Answer(OperationResponseBody body, @Nullable OperationRecord record) {
	}

	/** An operation on one message. */
	static Answer one(MessageKey key, String result, String outcome) {
		return new Answer(new OperatedMessageDescriptor(key.queue(), key.id(), key.group(), result),
				new OperationRecord(key, 1, outcome));
	}

	/** An operation on several messages or on a queue. */
	static Answer several(OperationResponseBody body, long messages, String outcome) {
		return new Answer(body, new OperationRecord(null, messages, outcome));
	}

}
