package io.delayqueue.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.MessageRecord;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the queue "orders", and their stored form.
 */
final class TestMessages {

	private TestMessages() {
	}

	/** A message key without a group. */
	static MessageKey key(String id) {
		return MessageKey.of("orders", id);
	}

	/** The ids and groups of messages in the form that Redis stores. */
	static List<StoredId> ids(String... stored) {
		return Stream.of(stored).map((text) -> StoredId.from(Reply.bytes(text))).toList();
	}

	/** An id with a group in the form that Redis stores. */
	static String stored(String id, @Nullable String group) {
		return Reply.text(new StoredId(id, group).toBytes());
	}

	/** A call token with a number in it. */
	static String token(int number) {
		return "token%06d".formatted(number);
	}

	static NewMessage message(String id, long dueMillis, int token) {
		return message(id, Due.at(Instant.ofEpochMilli(dueMillis)), token, "payload of " + id + " by " + token);
	}

	/** The same, of a group. */
	static NewMessage message(String id, long dueMillis, @Nullable String group, int token) {
		return message(id, Due.at(Instant.ofEpochMilli(dueMillis)),
				new Envelope(token(token), group, Map.of(), Reply.bytes("payload of " + id + " by " + token)));
	}

	static NewMessage message(String id, Due due, int token, String payload) {
		return message(id, due, new Envelope(token(token), null, Map.of(), Reply.bytes(payload)));
	}

	/**
	 * A message of the envelope's group, without an expiry, with the policy to keep a
	 * known one.
	 */
	static NewMessage message(String id, Due due, Envelope envelope) {
		return new NewMessage(id, due, envelope.group(), Expiry.NEVER, DuplicatePolicy.keep(), envelope.toBytes());
	}

	/** A message with an expiry. */
	static NewMessage expiring(NewMessage message, Expiry expiry) {
		return new NewMessage(message.id(), message.due(), message.group(), expiry, message.onDuplicate(),
				message.envelope());
	}

	/** A message with a policy. */
	static NewMessage onDuplicate(DuplicatePolicy policy, NewMessage message) {
		Envelope envelope = MessageRecord.from(Reply.bytes("1" + "0".repeat(16) + Reply.text(message.envelope())))
			.envelope();
		boolean postpones = policy.kind() == DuplicatePolicy.Kind.POSTPONE;
		return new NewMessage(message.id(), message.due(), message.group(), message.expiry(), policy,
				new Envelope(envelope.token(), postpones, envelope.group(), envelope.headers(), envelope.retry(),
						envelope.created(), envelope.payload())
					.toBytes());
	}

	/** A message with a generated id. */
	static NewMessage made(NewMessage message) {
		return new NewMessage(message.id(), message.due(), message.group(), message.expiry(), null, message.envelope());
	}

	/** The record of {@link #message(String, long, int)}. */
	static String record(String id, long dueMillis, int token) {
		return "1%016d%s\npayload of %s by %d".formatted(dueMillis, token(token), id, token);
	}

}
