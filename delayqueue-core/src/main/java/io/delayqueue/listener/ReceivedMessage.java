package io.delayqueue.listener;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.DelayedMessage;
import io.delayqueue.delivery.Delivery;

/**
 * A delivery with its payload converted.
 */
final class ReceivedMessage<T> implements DelayedMessage<T> {

	private final Delivery delivery;

	private final T payload;

	ReceivedMessage(Delivery delivery, T payload) {
		this.delivery = delivery;
		this.payload = payload;
	}

	/** A delivery with its payload as stored in Redis. */
	static DelayedMessage<byte[]> raw(Delivery delivery) {
		return new ReceivedMessage<>(delivery, delivery.payload());
	}

	@Override
	public String queue() {
		return this.delivery.queue();
	}

	@Override
	public String id() {
		return this.delivery.id();
	}

	@Override
	public Optional<String> group() {
		return Optional.ofNullable(this.delivery.group());
	}

	@Override
	public T payload() {
		return this.payload;
	}

	@Override
	public Map<String, String> headers() {
		return this.delivery.headers();
	}

	@Override
	public Instant dueAt() {
		return this.delivery.dueAt();
	}

	@Override
	public int attempt() {
		return this.delivery.attempt();
	}

	@Override
	public int maxAttempts() {
		return this.delivery.maxAttempts();
	}

	@Override
	public boolean isCancelled() {
		return this.delivery.isCancelled();
	}

	@Override
	public boolean isLeaseLost() {
		return this.delivery.isLeaseLost();
	}

	/** Omits the payload and the headers, which may be confidential. */
	@Override
	public String toString() {
		return "DelayedMessage[queue=" + queue() + ", id=" + id() + ", group=" + this.delivery.group() + ", dueAt="
				+ dueAt() + ", attempt=" + attempt() + "]";
	}

}
