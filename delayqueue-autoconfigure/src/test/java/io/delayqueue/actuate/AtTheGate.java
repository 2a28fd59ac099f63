package io.delayqueue.actuate;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.Attempts.Presence;
import io.delayqueue.store.StoreException;

/**
 * Lets a stock of a test's own go by the gate.
 *
 * @param gate the gate of the application
 */
record AtTheGate(RedisGate gate) implements Presence {

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
