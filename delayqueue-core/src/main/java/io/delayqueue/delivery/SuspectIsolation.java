package io.delayqueue.delivery;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Lets a suspect run alone. A suspect is a message whose earlier consumer stopped
 * renewing its lease. A suspect may have crashed its earlier consumer, so a process must
 * not handle other messages at the same time. Safe for use by several threads.
 *
 * <ol>
 * <li>A suspect waits until no handler runs; no other message begins during this wait,
 * which lasts for at most a third of the visibility timeout. A suspect that could not
 * begin within the wait is released. After such a release, the next suspect waits twice
 * as long, at most as long as the handler timeout.</li>
 * <li>A suspect runs alone for at most one visibility timeout. After one visibility
 * timeout, other messages may begin beside a running suspect, but no other suspect.</li>
 * </ol>
 */
final class SuspectIsolation {

	/** Returned by {@link #leftNanos} while no suspect waits or runs alone. */
	static final long NEVER = Long.MAX_VALUE;

	private static final int PARTS = 3;

	private final long aloneNanos;

	private final long longestWaitNanos;

	// guarded by this

	private long waitNanos;

	private @Nullable DeliveryTask suspect;

	private Stage stage = Stage.WAITS;

	/** When the suspect entered its stage, by {@link System#nanoTime()}. */
	private long sinceNanos;

	SuspectIsolation(Duration visibilityTimeout, Duration timeout) {
		this.aloneNanos = visibilityTimeout.toNanos();
		this.longestWaitNanos = timeout.toNanos();
		this.waitNanos = firstWait();
	}

	/** The progress of the suspect. */
	private enum Stage {

		/** The suspect has not begun, and no other message begins. */
		WAITS,
		/** The suspect has begun, and no other message begins. */
		ALONE,
		/** The suspect has begun, and other messages may begin. */
		BESIDE_OTHERS

	}

	/**
	 * Accepts a suspect, which then waits to run alone.
	 * @return {@code false} if the consumer already has another suspect
	 */
	synchronized boolean admit(DeliveryTask task) {
		if (this.suspect != null) {
			return false;
		}
		this.suspect = task;
		enter(Stage.WAITS);
		return true;
	}

	/** Whether messages that are not suspects may be read and may begin. */
	synchronized boolean isOpen() {
		return this.suspect == null || this.stage == Stage.BESIDE_OTHERS;
	}

	/** Whether a suspect waits to begin. */
	synchronized boolean isAwaited() {
		return this.suspect != null && this.stage == Stage.WAITS;
	}

	/**
	 * Whether the given delivery must not begin now, because another delivery is the
	 * suspect and waits or runs alone.
	 */
	synchronized boolean bars(DeliveryTask task) {
		return !isOpen() && this.suspect != task;
	}

	/**
	 * Marks the waiting suspect as begun, and returns the suspect; {@code null} if no
	 * suspect waits.
	 */
	synchronized @Nullable DeliveryTask begin() {
		if (!isAwaited()) {
			return null;
		}
		this.waitNanos = firstWait();
		enter(Stage.ALONE);
		return this.suspect;
	}

	/**
	 * Returns the time until {@link #giveUp} or {@link #share} is due.
	 * @return ns; {@link #NEVER} if neither is due
	 */
	synchronized long leftNanos() {
		if (this.suspect == null || this.stage == Stage.BESIDE_OTHERS) {
			return NEVER;
		}
		long most = (this.stage == Stage.WAITS) ? this.waitNanos : this.aloneNanos;
		return most - (System.nanoTime() - this.sinceNanos);
	}

	/**
	 * Removes and returns the suspect if it has waited too long to begin; {@code null} if
	 * there is no such suspect.
	 */
	synchronized @Nullable DeliveryTask giveUp() {
		if (!isAwaited() || leftNanos() > 0) {
			return null;
		}
		DeliveryTask waited = this.suspect;
		this.suspect = null;
		this.waitNanos = Math.min(2 * this.waitNanos, this.longestWaitNanos);
		return waited;
	}

	/**
	 * Allows other messages to begin if the suspect has run for one visibility timeout.
	 * @return whether this call has allowed other messages to begin
	 */
	synchronized boolean share() {
		if (this.suspect == null || this.stage != Stage.ALONE || leftNanos() > 0) {
			return false;
		}
		enter(Stage.BESIDE_OTHERS);
		return true;
	}

	/**
	 * Records that a delivery is settled; returns whether this delivery was the suspect.
	 */
	synchronized boolean ended(DeliveryTask task) {
		boolean was = this.suspect == task;
		if (was) {
			this.suspect = null;
		}
		return was;
	}

	private void enter(Stage stage) {
		this.stage = stage;
		this.sinceNanos = System.nanoTime();
	}

	private long firstWait() {
		return Math.min(this.aloneNanos / PARTS, this.longestWaitNanos);
	}

}
