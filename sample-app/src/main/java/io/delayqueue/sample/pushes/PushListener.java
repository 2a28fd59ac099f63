package io.delayqueue.sample.pushes;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/** Delivers a due push. A redelivery of the message changes nothing. */
@Component
final class PushListener {

	private static final Logger logger = LoggerFactory.getLogger(PushListener.class);

	private final PushStore store;

	PushListener(PushStore store) {
		this.store = store;
	}

	@DelayedListener(queue = Pushes.QUEUE)
	void deliver(DelayedMessage<PushDue> message) {
		String id = message.payload().pushId();
		if (this.store.deliver(id, message.id())) {
			logger.debug("Push '{}' is delivered", id);
		}
		else {
			logger.debug("Push '{}' was deleted, or delivered before", id);
		}
	}

}
