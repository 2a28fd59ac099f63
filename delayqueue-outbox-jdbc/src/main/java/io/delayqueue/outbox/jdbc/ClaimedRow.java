package io.delayqueue.outbox.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

import io.delayqueue.MessageKey;
import io.delayqueue.schedule.PreparedMessage;
import io.delayqueue.store.Due;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;

/**
 * A row of the outbox that this process has claimed, so that no other process sends it
 * until the claim ends.
 *
 * @param seq the number of the row
 * @param call the call that the row contains
 * @param age the age of the row when it was read, by the clock of the database
 * @param readNanos the time at which the row was read, by {@link System#nanoTime()}
 * @param attempt the number of this claim of the row; the outcome of the attempt is
 * written only if no later claim of the row exists
 * @param unconfirmed the time that passed between the first attempt with an unknown
 * outcome and this claim; {@code null} if there was no such attempt
 */
record ClaimedRow(long seq, NewRow call, Duration age, long readNanos, int attempt, @Nullable Duration unconfirmed) {

	/**
	 * Reads a claimed row from the result of a query.
	 * @throws RuntimeException if the row is malformed
	 */
	static ClaimedRow from(ResultSet row) throws SQLException {
		MessageKey key = new MessageKey(row.getString("queue"), row.getString("message_id"),
				row.getString("group_key"));
		NewRow call = new NewRow(Call.valueOf(row.getString("kind")), key, row.getString("token"), row.getString("due"),
				row.getString("expiry"), row.getString("on_duplicate"), row.getBytes("envelope"));
		long unconfirmed = row.getLong("unconfirmed_ms");
		Duration since = row.wasNull() ? null : Duration.ofMillis(unconfirmed);
		ClaimedRow claimed = new ClaimedRow(row.getLong("seq"), call,
				Duration.ofMillis(Math.max(0, row.getLong("passed_ms"))), System.nanoTime(), row.getInt("attempts") + 1,
				since);
		claimed.check();
		return claimed;
	}

	private void check() {
		switch (this.call.call()) {
			case SCHEDULE -> message();
			case RESCHEDULE -> Due.of(due()).since(writtenNanos());
			case CANCEL -> {
			}
		}
	}

	int bytes() {
		byte[] envelope = this.call.envelope();
		return (envelope != null) ? envelope.length : 0;
	}

	/**
	 * Returns when the row was written, by {@link System#nanoTime()} of this process.
	 */
	long writtenNanos() {
		return this.readNanos - this.age.toNanos();
	}

	/**
	 * Returns how much time has passed, at the given time of {@link System#nanoTime()},
	 * since the beginning of the first attempt with an unknown outcome. If no earlier
	 * attempt has an unknown outcome, the time counts from this attempt, because this
	 * process may have been frozen, and another process may have sent the row in the
	 * meantime.
	 */
	Duration uncertain(long atNanos) {
		Duration own = Duration.ofNanos(atNanos - this.readNanos);
		return (this.unconfirmed != null) ? this.unconfirmed.plus(own) : own;
	}

	/**
	 * Returns the message that the row schedules, with a delay that counts from the time
	 * at which the row was written.
	 */
	PreparedMessage.Since message() {
		MessageKey key = this.call.key();
		String expiry = this.call.expiry();
		PreparedMessage message = new PreparedMessage(key.queue(), key.id(), key.group(), due(),
				(expiry != null) ? expiry : "",
				Objects.requireNonNull(this.call.onDuplicate(), "on_duplicate is missing"),
				Objects.requireNonNull(this.call.envelope(), "envelope is missing"));
		return new PreparedMessage.Since(message, writtenNanos());
	}

	String due() {
		return Objects.requireNonNull(this.call.due(), "due is missing");
	}

	@Override
	public String toString() {
		return "row " + this.seq + " (" + this.call.call() + " of message " + StoredId.of(this.call.key())
				+ " of queue '" + this.call.key().queue() + "')";
	}

}
