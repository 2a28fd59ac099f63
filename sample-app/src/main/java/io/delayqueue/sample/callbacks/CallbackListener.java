package io.delayqueue.sample.callbacks;

import io.delayqueue.DeferException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.HoldException;
import io.delayqueue.sample.callbacks.CallbackStore.LastAnswer;

import org.springframework.stereotype.Component;

/**
 * Calls the partner of a callback. If the partner does not accept the callback, the
 * message is retried after its back-off, and becomes a dead letter after the last
 * attempt. If the partner answers 429 with a header {@code Retry-After}, the delivery of
 * all callbacks to the same address stops for the requested time.
 */
@Component
final class CallbackListener {

	private final Partner partner;

	private final CallbackStore store;

	CallbackListener(Partner partner, CallbackStore store) {
		this.partner = partner;
		this.store = store;
	}

	@DelayedListener(queue = Callbacks.QUEUE, timeout = "15s")
	void call(DelayedMessage<Callback> message) throws InterruptedException {
		Callback callback = message.payload();
		if (this.store.find(callback.id()).filter(LastAnswer::isDelivered).isPresent()) {
			return; // the partner was notified by an instance that died before it
					// acknowledged the message
		}
		PartnerAnswer answer = this.partner.call(callback, message.attempt());
		this.store.write(callback.id(),
				new LastAnswer(message.group().orElse(null), message.attempt(), answer.text(), answer.isSuccess()));
		if (answer.isTooManyRequests() && answer.retryAfter() != null) {
			throw HoldException.group(answer.retryAfter(), "The partner answered 429");
		}
		if (answer.retryAfter() != null) {
			throw new DeferException(answer.retryAfter());
		}
		if (!answer.isSuccess()) {
			throw new PartnerNotNotifiedException(callback, answer);
		}
	}

}
