package io.delayqueue.listener;

import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/**
 * A delivery as a message for Spring's resolvers. The headers are created on first
 * access, because most listeners use the payload only. The exceptions of the resolvers
 * contain the text of the message, so {@link #toString} omits payload and headers.
 * Confined to one thread.
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
