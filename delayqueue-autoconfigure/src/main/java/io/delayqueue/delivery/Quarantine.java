package io.delayqueue.delivery;

import org.jspecify.annotations.Nullable;

/**
 * Lets a suspect run alone: a message that has once been in a process that fell silent
 * may be what kills it, and must not take others along, other suspects least of all.
 * While one is here nothing else is begun. Safe for use by several threads.
 */
final class Quarantine {

	private @Nullable DeliveryTask suspect;

	private boolean begun;

	/**
	 * Takes a suspect in.
	 * @return {@code false} if there is another one
	 */
	synchronized boolean admit(DeliveryTask task) {
		if (this.suspect != null) {
			return false;
		}
		this.suspect = task;
		return true;
	}

	synchronized boolean isEmpty() {
		return this.suspect == null;
	}

	/** Whether this delivery may not begin now. */
	synchronized boolean bars(DeliveryTask task) {
		return this.suspect != null && this.suspect != task;
	}

	/** The suspect if it has not begun, which it has from now on. */
	synchronized @Nullable DeliveryTask begin() {
		if (this.begun) {
			return null;
		}
		this.begun = this.suspect != null;
		return this.suspect;
	}

	/** A delivery is settled; says whether it was the suspect. */
	synchronized boolean ended(DeliveryTask task) {
		boolean was = this.suspect == task;
		if (was) {
			this.suspect = null;
			this.begun = false;
		}
		return was;
	}

}
