package io.delayqueue.outbox.jdbc;

import java.nio.charset.StandardCharsets;

import io.delayqueue.MessageKey;
import io.delayqueue.record.CallToken;
import io.delayqueue.schedule.PreparedMessage;
import org.jspecify.annotations.Nullable;

/**
 * A call that the outbox writes to its table as a new row. The database sets the number
 * and the time of the row.
 *
 * @param call the kind of the call
 * @param key the message that the call is for
 * @param token the token by which Redis recognises a repeat of the call
 * @param due the due time that the call sets, as in {@link PreparedMessage}; {@code null}
 * for a cancel
 * @param expiry the expiry of a message to schedule, as in {@link PreparedMessage}
 * @param onDuplicate the policy of a message to schedule, as in {@link PreparedMessage}
 * @param envelope the bytes of a message to schedule, as in {@link PreparedMessage}
 */
@SuppressWarnings("ArrayRecordComponent")
record NewRow(Call call, MessageKey key, String token, @Nullable String due, @Nullable String expiry,
		@Nullable String onDuplicate, byte @Nullable [] envelope) {

	/**
	 * Returns the message without its group. Rows with the same queue and id are sent in
	 * their order.
	 */
	MessageKey message() {
		return MessageKey.of(this.key.queue(), this.key.id());
	}

	static NewRow schedule(PreparedMessage message) {
		byte[] envelope = message.envelope();
		String token = new String(envelope, 0, CallToken.LENGTH, StandardCharsets.US_ASCII);
		return new NewRow(Call.SCHEDULE, new MessageKey(message.queue(), message.id(), message.group()), token,
				message.due(), message.expiry(), message.onDuplicate(), envelope);
	}

	static NewRow cancel(MessageKey key, String token) {
		return new NewRow(Call.CANCEL, key, token, null, null, null, null);
	}

	static NewRow reschedule(MessageKey key, String token, String due) {
		return new NewRow(Call.RESCHEDULE, key, token, due, null, null, null);
	}

}
