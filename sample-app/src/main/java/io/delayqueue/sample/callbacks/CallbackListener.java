package io.delayqueue.sample.callbacks;

import io.delayqueue.DeferException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.sample.callbacks.CallbackNotes.Note;

import org.springframework.stereotype.Component;

/**
 * Calls the partner. An exception lets the next attempt wait as long as the message says,
 * and after the last attempt sets the message aside.
 */
@Component
final class CallbackListener {

	private final Partner partner;

	private final CallbackNotes notes;

	CallbackListener(Partner partner, CallbackNotes notes) {
		this.partner = partner;
		this.notes = notes;
	}

	@DelayedListener(queue = Callbacks.QUEUE)
	void call(DelayedMessage<Callback> message) throws InterruptedException {
		Callback callback = message.payload();
		if (this.notes.find(callback.id()).filter(Note::isDelivered).isPresent()) {
			return; // told by an instance that then died before it could say so
		}
		PartnerAnswer answer = this.partner.tell(callback, message.attempt());
		this.notes.write(callback.id(), new Note(message.attempt(), answer.text(), answer.isSuccess()));
		if (answer.retryAfter() != null) {
			throw new DeferException(answer.retryAfter());
		}
		if (!answer.isSuccess()) {
			throw new PartnerNotNotifiedException(callback, answer);
		}
	}

}
