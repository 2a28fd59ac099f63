package io.delayqueue.store;

import java.util.Objects;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.record.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * A message that is to be stored.
 *
 * @param id the id of the message
 * @param due when the message is due
 * @param latest the latest due time to which repeated calls may postpone the message;
 * {@code null} if its policy for duplicates does not postpone
 * @param group the group of the message, {@code null} if it has none
 * @param expiry the time until which an attempt to handle the message may begin
 * @param onDuplicate what Redis does if a message with this id exists; {@code null} for a
 * generated id
 * @param envelope the bytes of the message's {@link Envelope}
 */
@SuppressWarnings("ArrayRecordComponent")
public record NewMessage(String id, Due due, @Nullable Due latest, @Nullable String group, Expiry expiry,
		@Nullable DuplicatePolicy onDuplicate, byte[] envelope) {

	/**
	 * Creates a message. If its policy for duplicates postpones, the time limit of the
	 * policy begins when Redis carries out the call.
	 * @param id the id of the message
	 * @param due when the message is due
	 * @param group the group of the message, {@code null} if it has none
	 * @param expiry the time until which an attempt to handle the message may begin
	 * @param onDuplicate what Redis does if a message with this id exists; {@code null}
	 * for a generated id
	 * @param envelope the bytes of the message's {@link Envelope}
	 */
	public NewMessage(String id, Due due, @Nullable String group, Expiry expiry, @Nullable DuplicatePolicy onDuplicate,
			byte[] envelope) {
		this(id, due, (onDuplicate != null) ? onDuplicate.limit().map(Due::in).orElse(null) : null, group, expiry,
				onDuplicate, envelope);
	}

	/**
	 * Returns a copy of this message in which the delay and the time limit for postponing
	 * begin at the given time.
	 * @param nanos the time at which the delay and the time limit begin, by
	 * {@link System#nanoTime()}
	 * @return the message
	 */
	public NewMessage since(long nanos) {
		return new NewMessage(this.id, this.due.since(nanos), (this.latest != null) ? this.latest.since(nanos) : null,
				this.group, this.expiry, this.onDuplicate, this.envelope);
	}

	/**
	 * {@return the identity of the message in its queue}
	 */
	public StoredId storedId() {
		return new StoredId(this.id, this.group);
	}

	boolean isCounted() {
		return this.due.isCounted() || (this.latest != null && this.latest.isCounted());
	}

	/** Whether the message has a generated id, and neither a group nor an expiry. */
	boolean isNew() {
		return this.onDuplicate == null && this.group == null && this.expiry.equals(Expiry.NEVER);
	}

	NewMessage by(PartitionClock.Reading clock) {
		return new NewMessage(this.id, this.due.by(clock), (this.latest != null) ? this.latest.by(clock) : null,
				this.group, this.expiry, this.onDuplicate, this.envelope);
	}

	String policy() {
		if (this.onDuplicate == null) {
			return "new";
		}
		return switch (this.onDuplicate.kind()) {
			case KEEP -> "keep";
			case FAIL -> "fail";
			case REPLACE -> "replace";
			case POSTPONE -> Objects.requireNonNull(this.latest).toString().replace("+", "");
		};
	}

}
