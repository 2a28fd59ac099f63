package io.delayqueue.store;

import java.nio.ByteBuffer;

import io.delayqueue.record.RecurringFields;
import org.jspecify.annotations.Nullable;

/**
 * A definition of a recurring schedule that is to be stored.
 *
 * @param key the key of the schedule
 * @param generation the id of this version of the definition; each call of the
 * application generates a new id, and a repeat of the call to Redis has the same id
 * @param storedMicros the time that the caller has read from Redis, us since 1970
 * @param anchorMicros the time from which an interval without a begin counts, us since
 * 1970
 * @param group the group of the schedule's messages, {@code null} if they have none
 * @param fields the fields of the definition
 * @param envelope the envelope of the schedule's messages, without a call token
 */
@SuppressWarnings("ArrayRecordComponent")
public record NewDefinition(String key, String generation, long storedMicros, long anchorMicros, @Nullable String group,
		RecurringFields fields, byte[] envelope) {

	/**
	 * Returns this definition with another time of storing.
	 * @param micros the time that the caller has read from Redis, us since 1970
	 * @return the definition
	 */
	public NewDefinition storedAt(long micros) {
		return new NewDefinition(this.key, this.generation, micros, this.anchorMicros, this.group, this.fields,
				this.envelope);
	}

	byte[] body() {
		byte[] lines = Reply.bytes(((this.group != null) ? this.group : "") + "\n" + this.fields.text() + "\n");
		return ByteBuffer.allocate(lines.length + this.envelope.length).put(lines).put(this.envelope).array();
	}

}
