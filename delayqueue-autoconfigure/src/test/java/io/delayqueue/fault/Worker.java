package io.delayqueue.fault;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;

/**
 * The listeners of an application to which faults happen.
 */
class Worker {

	/** The queue that the fault is about. */
	static final String QUEUE = "work";

	/** Another one, to which nothing may happen. */
	static final String OTHER_QUEUE = "other";

	final Ledger ledger = new Ledger();

	final Ledger other = new Ledger();

	volatile Behaviour behaviour = (message) -> {
	};

	/** What the handler does after it has entered its run. */
	@FunctionalInterface
	interface Behaviour {

		void handle(DelayedMessage<String> message) throws Exception;

	}

	@DelayedListener(queue = QUEUE)
	void work(DelayedMessage<String> message) throws Exception {
		this.ledger.began(message);
		this.behaviour.handle(message);
	}

	@DelayedListener(queue = OTHER_QUEUE)
	void other(DelayedMessage<String> message) {
		this.other.began(message);
	}

}
