package io.delayqueue.actuate;

import io.delayqueue.MessageKey;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Something that was carried out, to be told to others.
 *
 * @param key the one message concerned, {@code null} if it was not one
 * @param messages how many messages were changed
 * @param outcome what came of it
 */
record OperationRecord(@Nullable MessageKey key, long messages, String outcome) {

	/**
	 * What the caller gets.
	 *
	 * @param body the answer
	 * @param record what was carried out, {@code null} if nothing was
	 */
	record Answer(OperationResponseBody body, @Nullable OperationRecord record) {
	}

	/** Done with one message. */
	static Answer one(MessageKey key, String result, String outcome) {
		return new Answer(new OperatedMessageDescriptor(key.queue(), key.id(), key.group(), result),
				new OperationRecord(key, 1, outcome));
	}

	/** Done with several messages, or with a queue. */
	static Answer several(OperationResponseBody body, long messages, String outcome) {
		return new Answer(body, new OperationRecord(null, messages, outcome));
	}

}
