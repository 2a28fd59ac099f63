package io.delayqueue.delivery;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Lets a suspect run alone: a message that has once been in a process that fell silent
 * may be what kills it, and must not take others along. Safe for use by several threads.
 *
 * <ol>
 * <li>A suspect waits until no handler runs, and nothing else begins meanwhile. It waits
 * for at most a third of the visibility timeout, doubled each time that this was too
 * short, up to the maximum processing time; then it is to be given back.</li>
 * <li>It has the consumer for itself for one visibility timeout. If it runs for longer,
 * other messages begin beside it, but no other suspect.</li>
 * </ol>
 */
final class SuspectIsolation {

	/** What {@link #leftNanos} answers while nothing is to be done. */
	static final long NEVER = Long.MAX_VALUE;

	private static final int PARTS = 3;

	private final long aloneNanos;

	private final long longestWaitNanos;

	// guarded by this

	private long waitNanos;

	private @Nullable DeliveryTask suspect;

	private Stage stage = Stage.WAITS;

	/** When the suspect came to its stage. */
	private long sinceNanos;

	SuspectIsolation(Duration visibilityTimeout, Duration maxProcessingTime) {
		this.aloneNanos = visibilityTimeout.toNanos();
		this.longestWaitNanos = maxProcessingTime.toNanos();
		this.waitNanos = firstWait();
	}

	/** How far the suspect has come. */
	private enum Stage {

		/** It has not begun, and nothing else begins. */
		WAITS,
		/** It has begun, and nothing else begins. */
		ALONE,
		/** It has begun, and other messages begin, too. */
		BESIDE_OTHERS

	}

	/**
	 * Takes a suspect in.
	 * @return {@code false} if there is another one
	 */
	synchronized boolean admit(DeliveryTask task) {
		if (this.suspect != null) {
			return false;
		}
		this.suspect = task;
		enter(Stage.WAITS);
		return true;
	}

	/** Whether messages that are not suspects may be read and begin. */
	synchronized boolean isOpen() {
		return this.suspect == null || this.stage == Stage.BESIDE_OTHERS;
	}

	/** Whether a suspect waits to begin. */
	synchronized boolean isAwaited() {
		return this.suspect != null && this.stage == Stage.WAITS;
	}

	/** Whether this delivery may not begin now. */
	synchronized boolean bars(DeliveryTask task) {
		return !isOpen() && this.suspect != task;
	}

	/** The suspect if it has not begun, which it has from now on. */
	synchronized @Nullable DeliveryTask begin() {
		if (!isAwaited()) {
			return null;
		}
		this.waitNanos = firstWait();
		enter(Stage.ALONE);
		return this.suspect;
	}

	/**
	 * How long until {@link #giveUp} or {@link #share} is to be called.
	 * @return what is left, ns; {@link #NEVER} if neither is
	 */
	synchronized long leftNanos() {
		if (this.suspect == null || this.stage == Stage.BESIDE_OTHERS) {
			return NEVER;
		}
		long most = (this.stage == Stage.WAITS) ? this.waitNanos : this.aloneNanos;
		return most - (System.nanoTime() - this.sinceNanos);
	}

	/** Lets go of the suspect if it has waited for too long to begin. */
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
	 * Lets other messages begin if the suspect has run for long enough.
	 * @return whether they may from now on
	 */
	synchronized boolean share() {
		if (this.suspect == null || this.stage != Stage.ALONE || leftNanos() > 0) {
			return false;
		}
		enter(Stage.BESIDE_OTHERS);
		return true;
	}

	/** A delivery is settled; says whether it was the suspect. */
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
