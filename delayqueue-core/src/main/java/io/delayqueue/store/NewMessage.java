package io.delayqueue.store;

import java.util.Objects;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.record.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * A message to be stored.
 *
 * @param id the id
 * @param due when it is due
 * @param latest the latest due time to which repeated calls may postpone it; {@code null}
 * for other policies
 * @param group its group, {@code null} if it has none
 * @param expiry until when an attempt may begin
 * @param onDuplicate what happens if a message with its id exists; {@code null} for a
 * generated id
 * @param envelope the bytes of its {@link Envelope}
 */
@SuppressWarnings("ArrayRecordComponent")
public record NewMessage(String id, Due due, @Nullable Due latest, @Nullable String group, Expiry expiry,
		@Nullable DuplicatePolicy onDuplicate, byte[] envelope) {

	/**
	 * A message that repeated calls may postpone to a limit that counts from now.
	 * @param id the id
	 * @param due when it is due
	 * @param group its group, {@code null} if it has none
	 * @param expiry until when an attempt may begin
	 * @param onDuplicate what happens if a message with its id exists; {@code null} for a
	 * generated id
	 * @param envelope the bytes of its {@link Envelope}
	 */
	public NewMessage(String id, Due due, @Nullable String group, Expiry expiry, @Nullable DuplicatePolicy onDuplicate,
			byte[] envelope) {
		this(id, due, (onDuplicate != null) ? onDuplicate.limit().map(Due::in).orElse(null) : null, group, expiry,
				onDuplicate, envelope);
	}

	/**
	 * Returns the same message, whose delay and limit count from an earlier time.
	 * @param nanos when the delay and the limit began, by {@link System#nanoTime()}
	 * @return the message
	 */
	public NewMessage since(long nanos) {
		return new NewMessage(this.id, this.due.since(nanos), (this.latest != null) ? this.latest.since(nanos) : null,
				this.group, this.expiry, this.onDuplicate, this.envelope);
	}

	boolean isCounted() {
		return this.due.isCounted() || (this.latest != null && this.latest.isCounted());
	}

	/** Whether its id is generated, and it has neither a group nor an expiry. */
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
