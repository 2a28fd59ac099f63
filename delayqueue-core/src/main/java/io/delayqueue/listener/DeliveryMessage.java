package io.delayqueue.listener;

import java.util.Map;
import java.util.UUID;

import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/**
 * Presents a delivery as a Spring message, for Spring's argument resolvers. The headers
 * are created on first access, because most listeners use the payload only. The
 * exceptions of the resolvers contain the text of the message, so {@link #toString} omits
 * payload and headers. Confined to one thread.
 */
final class DeliveryMessage implements Message<Delivery> {

	private final Delivery delivery;

	private @Nullable MessageHeaders headers;

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
			this.headers = new Headers(this.delivery);
		}
		return this.headers;
	}

	@Override
	public String toString() {
		String group = (this.delivery.group() != null) ? "' of group '" + this.delivery.group() : "";
		return "message '" + this.delivery.id() + group + "' of queue '" + this.delivery.queue() + "'";
	}

	/**
	 * Treats {@code id} and {@code timestamp}, which Spring reserves, as ordinary headers
	 * of the message.
	 */
	private static final class Headers extends MessageHeaders {

		private static final long serialVersionUID = 1L;

		private static final long NO_TIMESTAMP = -1;

		Headers(Delivery delivery) {
			super(null, ID_VALUE_NONE, NO_TIMESTAMP);
			Map<String, Object> headers = getRawHeaders();
			headers.putAll(delivery.headers());
			headers.put(DelayQueueHeaders.QUEUE, delivery.queue());
			headers.put(DelayQueueHeaders.ID, delivery.id());
			String group = delivery.group();
			if (group != null) {
				headers.put(DelayQueueHeaders.GROUP, group);
			}
			else {
				headers.remove(DelayQueueHeaders.GROUP);
			}
			headers.put(DelayQueueHeaders.DUE, delivery.dueAt());
			headers.put(DelayQueueHeaders.ATTEMPT, delivery.attempt());
			headers.put(DelayQueueHeaders.MAX_ATTEMPTS, delivery.maxAttempts());
		}

		@Override
		public @Nullable UUID getId() {
			return null;
		}

		@Override
		public @Nullable Long getTimestamp() {
			return null;
		}

	}

}
