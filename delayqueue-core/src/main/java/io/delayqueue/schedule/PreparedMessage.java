package io.delayqueue.schedule;

import java.time.Duration;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Due;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.NewMessage;
import org.jspecify.annotations.Nullable;

/**
 * A message that was checked and serialized, in a form that can be stored outside Redis
 * and be scheduled later, by any process and any number of times.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key, {@code null} if the message has none
 * @param due the due time: {@code +} and a delay in ms, or ms since 1970
 * @param expiry the time until which an attempt to handle the message may begin:
 * {@code +} and ms after the due time, or ms since 1970; empty for no expiry
 * @param onDuplicate the policy if the id exists already: {@code keep}, {@code fail},
 * {@code replace}, or the limit of {@code postpone} in ms
 * @param envelope the bytes that Redis stores for the message: a call token, headers and
 * payload; callers must not change the bytes
 */
@SuppressWarnings("ArrayRecordComponent")
public record PreparedMessage(String queue, String id, @Nullable String group, String due, String expiry,
		String onDuplicate, byte[] envelope) {

	/**
	 * Checks the form of the due time, the expiry and the policy, which may come from a
	 * database.
	 * @throws RuntimeException if a component is malformed
	 */
	public PreparedMessage {
		Due.of(due);
		Expiry.of(expiry);
		policy(onDuplicate);
	}

	/**
	 * Converts a message to its prepared form. A message with a generated id gets a
	 * policy for duplicates, too, so that a repeated call searches all epochs (partition
	 * counts of the queue) for the id.
	 */
	static PreparedMessage of(OutgoingMessage outgoing) {
		NewMessage message = outgoing.message();
		DuplicatePolicy policy = (message.onDuplicate() != null) ? message.onDuplicate() : DuplicatePolicy.keep();
		return new PreparedMessage(outgoing.settings().name(), message.id(), message.group(), message.due().toString(),
				message.expiry().toString(), form(policy), message.envelope());
	}

	private static String form(DuplicatePolicy policy) {
		return switch (policy.kind()) {
			case KEEP -> "keep";
			case FAIL -> "fail";
			case REPLACE -> "replace";
			case POSTPONE -> Long.toString(policy.limit().orElseThrow().plusNanos(999_999).toMillis());
		};
	}

	/**
	 * A prepared message with the time from which its delay, and its limit for
	 * postponing, count. The delay may have ended since.
	 *
	 * @param message the message
	 * @param nanos the time at which the delay began, by {@link System#nanoTime()} of
	 * this process
	 */
	public record Since(PreparedMessage message, long nanos) {
	}

	OutgoingMessage outgoing(QueueSettings settings, long sinceNanos) {
		return new OutgoingMessage(settings, new Partition(this.queue, 0), new NewMessage(this.id, Due.of(this.due),
				this.group, Expiry.of(this.expiry), policy(this.onDuplicate), this.envelope)
			.since(sinceNanos));
	}

	private static DuplicatePolicy policy(String form) {
		return switch (form) {
			case "keep" -> DuplicatePolicy.keep();
			case "fail" -> DuplicatePolicy.fail();
			case "replace" -> DuplicatePolicy.replace();
			default -> DuplicatePolicy.postpone(Duration.ofMillis(Long.parseLong(form)));
		};
	}

}
