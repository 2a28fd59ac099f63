package io.delayqueue.listener;

import io.delayqueue.delivery.Delivery;

import org.springframework.messaging.support.GenericMessage;

/**
 * A delivery as Spring's resolvers read it. Their exceptions print the message they are
 * about, so it tells neither payload nor headers.
 */
final class DeliveryMessage extends GenericMessage<Delivery> {

	private static final long serialVersionUID = 1L;

	DeliveryMessage(Delivery delivery) {
		super(delivery, new DeliveryHeaders(delivery));
	}

	@Override
	public String toString() {
		return "message '" + getPayload().id() + "' of queue '" + getPayload().queue() + "'";
	}

}
