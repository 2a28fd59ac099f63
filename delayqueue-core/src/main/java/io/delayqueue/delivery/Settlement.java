package io.delayqueue.delivery;

import java.time.Duration;
import java.time.Instant;

import io.delayqueue.delivery.FailureNote.Reason;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.FailedAttempt;
import io.delayqueue.store.PendingMessages.Acknowledgement;
import io.delayqueue.store.PendingMessages.Death;
import io.delayqueue.store.PendingMessages.Release;
import io.delayqueue.store.PendingMessages.Retry;
import org.jspecify.annotations.Nullable;

/**
 * The decision how one delivery of a message ends.
 */
final class Settlement {

	enum Kind {

		/** The handler has handled the message. */
		ACKNOWLEDGE,

		/** The message has expired and is removed without being handled. */
		EXPIRE,

		/**
		 * No handler has started the message; it is scheduled again, and the delivery
		 * does not count as an attempt.
		 */
		RELEASE,

		/**
		 * The handler failed, or it deferred the message; the message is delivered again
		 * later.
		 */
		RETRY,

		/**
		 * The message failed for the last time or expired; it becomes a dead letter with
		 * a reason.
		 */
		DEAD_LETTER

	}

	private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

	private final DeliveryTask task;

	private final Kind kind;

	private final @Nullable FailureNote reason;

	private final @Nullable Hold hold;

	/** How long the message waits before it is delivered again. */
	private final Duration wait;

	/**
	 * Whether Redis may have applied this settlement already, because the reply of an
	 * earlier call was lost. Used only by the settlement writer.
	 */
	private boolean repeated;

	/**
	 * For how long the handler ran, {@code null} if no handler ran. Set before the
	 * settlement is handed to the settlement writer.
	 */
	private @Nullable Duration took;

	private @Nullable String stack;

	/**
	 * A hold that a handler has requested.
	 *
	 * @param group the group to hold, {@code null} for the whole queue
	 * @param until the end of the hold, by the clock of Redis
	 * @param why the reason of the hold
	 */
	record Hold(@Nullable String group, Instant until, String why) {
	}

	private Settlement(DeliveryTask task, Kind kind, @Nullable FailureNote reason, Duration wait) {
		this(task, kind, reason, wait, null);
	}

	private Settlement(DeliveryTask task, Kind kind, @Nullable FailureNote reason, Duration wait, @Nullable Hold hold) {
		this.hold = hold;
		this.task = task;
		this.kind = kind;
		this.reason = reason;
		this.wait = wait;
	}

	static Settlement acknowledge(DeliveryTask task) {
		return new Settlement(task, Kind.ACKNOWLEDGE, null, Duration.ZERO);
	}

	static Settlement expire(DeliveryTask task) {
		return new Settlement(task, Kind.EXPIRE, null, Duration.ZERO);
	}

	static Settlement release(DeliveryTask task) {
		return new Settlement(task, Kind.RELEASE, null, Duration.ZERO);
	}

	/**
	 * Returns a settlement that releases a message for another delivery after a pause,
	 * see {@link #pauseAfter}.
	 */
	static Settlement releaseForLater(DeliveryTask task) {
		return releaseFor(task, pauseAfter(task.lateness()));
	}

	/**
	 * Returns a settlement that releases a message for another delivery after a pause.
	 */
	static Settlement releaseFor(DeliveryTask task, Duration pause) {
		return new Settlement(task, Kind.RELEASE, null, pause);
	}

	/**
	 * Returns the pause before a released message is delivered again: the lateness of the
	 * message, but at least 1 s and at most 15 s.
	 */
	static Duration pauseAfter(Duration lateness) {
		return (lateness.compareTo(SHORTEST_PAUSE) < 0) ? SHORTEST_PAUSE
				: (lateness.compareTo(LONGEST_PAUSE) > 0) ? LONGEST_PAUSE : lateness;
	}

	static Settlement deadLetter(DeliveryTask task, FailureNote reason) {
		return new Settlement(task, Kind.DEAD_LETTER, reason, Duration.ZERO);
	}

	static Settlement retry(DeliveryTask task, Duration wait, FailureNote reason) {
		return new Settlement(task, Kind.RETRY, reason, wait);
	}

	static Settlement defer(DeliveryTask task, Duration wait) {
		return new Settlement(task, Kind.RETRY, null, wait);
	}

	/**
	 * Returns a settlement that defers a message whose handler has requested a hold of
	 * the queue or of the group.
	 */
	static Settlement hold(DeliveryTask task, Duration wait, Hold hold) {
		return new Settlement(task, Kind.RETRY, null, wait, hold);
	}

	/**
	 * Sets for how long the handler ran, and the stack trace to store, {@code null} for
	 * none.
	 */
	Settlement after(Duration took, @Nullable String stack) {
		this.took = took;
		this.stack = stack;
		return this;
	}

	/** Returns the hold to store before this settlement, {@code null} for none. */
	@Nullable Hold hold() {
		return this.hold;
	}

	DeliveryTask task() {
		return this.task;
	}

	Kind kind() {
		return this.kind;
	}

	/** Returns the failure to store with the message, {@code null} if nothing failed. */
	@Nullable FailureNote reason() {
		return this.reason;
	}

	Acknowledgement toAcknowledgement(QueueSettings settings) {
		return new Acknowledgement(this.task.entry(), this.task.storedId(), this.task.token(),
				settings.doneWindowOf(this.task.id()), settings.ends().hasHistory() ? this.took : null);
	}

	Release toRelease() {
		return this.wait.isZero() ? new Release(this.task.entry(), this.task.storedId(), this.task.dueMillis())
				: new Release(this.task.entry(), this.task.storedId(), this.task.dueAfter(this.wait), true);
	}

	Retry toRetry(QueueSettings settings, String process) {
		String group = this.task.group();
		boolean strict = group != null && settings.groups().isStrict(group);
		return new Retry(this.task.entry(), this.task.storedId(), this.wait,
				(this.reason != null) ? text(this.reason, process) : null, strict, this.task.hasExpired());
	}

	Death toDeath(QueueSettings settings, String process) {
		return new Death(this.task.entry(), this.task.storedId(),
				(this.reason != null) ? text(this.reason, process) : "null",
				this.reason == null || this.reason.reason() != Reason.EXPIRED, settings.groups().countDead());
	}

	private String text(FailureNote failure, String process) {
		return (this.took != null)
				? FailedAttempt.added(failure.text(), process, this.task.nowMillis(), this.took, this.stack)
				: failure.text();
	}

	boolean isRepeated() {
		return this.repeated;
	}

	void repeat() {
		this.repeated = true;
	}

}
