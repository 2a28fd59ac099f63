package io.delayqueue.listener;

import java.util.Map;
import java.util.UUID;

import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.MessageHeaders;

/**
 * The headers of a delivery for Spring's resolvers. Spring reserves the names {@code id}
 * and {@code timestamp}; here they are ordinary headers of the message, or absent.
 */
final class DeliveryHeaders extends MessageHeaders {

	private static final long serialVersionUID = 1L;

	private static final long NO_TIMESTAMP = -1;

	DeliveryHeaders(Delivery delivery) {
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
