package io.delayqueue.listener;

import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/**
 * A delivery as Spring's resolvers read it: most ask for the payload only, so the headers
 * are made for those that ask for them. The resolvers' exceptions print the message they
 * are about, so it tells neither payload nor headers. Belongs to one thread.
 */
final class DeliveryMessage implements Message<Delivery> {

	private final Delivery delivery;

	private @Nullable DeliveryHeaders headers;

	DeliveryMessage(Delivery delivery) {
		this.delivery = delivery;
	}

	@Override
	public Delivery getPayload() {
		return this.delivery;
	}

	@Override
	public MessageHeaders getHeaders() {
		if (this.headers == null) {
			this.headers = new DeliveryHeaders(this.delivery);
		}
		return this.headers;
	}

	@Override
	public String toString() {
		return "message '" + this.delivery.id() + "' of queue '" + this.delivery.queue() + "'";
	}

}
