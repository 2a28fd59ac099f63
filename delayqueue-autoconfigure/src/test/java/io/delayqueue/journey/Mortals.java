package io.delayqueue.journey;

import io.delayqueue.DelayedListener;

/**
 * What is due at once dies, while they are broken.
 */
class Mortals {

	volatile boolean broken = true;

	@DelayedListener(queue = "two")
	void two(String payload) {
		handle(payload);
	}

	@DelayedListener(queue = "three")
	void three(String payload) {
		handle(payload);
	}

	@DelayedListener(queue = "seven")
	void seven(String payload) {
		handle(payload);
	}

	private void handle(String payload) {
		if (this.broken) {
			throw new IllegalStateException(payload + " dies");
		}
	}

}
