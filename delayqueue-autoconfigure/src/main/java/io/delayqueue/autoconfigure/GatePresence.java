package io.delayqueue.autoconfigure;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.CallRetry.Presence;
import io.delayqueue.store.StoreException;

/**
 * Lets calls of the application wait for Redis in the same way as the background
 * activities.
 *
 * @param gate the gate of this process
 */
record GatePresence(RedisGate gate) implements Presence {

	@Override
	public boolean await(long nanos) {
		return this.gate.awaitOpen(nanos);
	}

	@Override
	public String reason() {
		return this.gate.reason();
	}

	@Override
	public void lost(StoreException failure) {
		this.gate.lost(failure);
	}

}
