package io.delayqueue.process;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;

import org.springframework.transaction.annotation.Transactional;

/**
 * A listener behind a proxy.
 */
class TransactionalListener {

	private final WorkerListeners listeners;

	TransactionalListener(WorkerListeners listeners) {
		this.listeners = listeners;
	}

	@Transactional
	@DelayedListener(queue = "transactional", autoStartup = "${worker.transactional:false}")
	void handle(DelayedMessage<String> message) throws InterruptedException {
		this.listeners.run(message);
	}

}
