package io.delayqueue.test;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * A delivery to a listener and its result. Each delivery of a message is recorded. Safe
 * for use by several threads.
 */
public final class RecordedDelivery {

	private final Delivery delivery;

	private final CompletableFuture<Optional<Throwable>> end = new CompletableFuture<>();

	RecordedDelivery(Delivery delivery) {
		this.delivery = delivery;
	}

	void ended(@Nullable Throwable failure) {
		this.end.complete(Optional.ofNullable(failure));
	}

	/**
	 * The queue.
	 * @return the queue's name
	 */
	public String queue() {
		return this.delivery.queue();
	}

	/**
	 * The message's id.
	 * @return the id
	 */
	public String id() {
		return this.delivery.id();
	}

	/**
	 * The group key.
	 * @return the group key, {@code null} if it has none
	 */
	public @Nullable String group() {
		return this.delivery.group();
	}

	/**
	 * The headers.
	 * @return an immutable map
	 */
	public Map<String, String> headers() {
		return this.delivery.headers();
	}

	/**
	 * The payload as stored in Redis: JSON, unless the application has its own converter.
	 * @return a copy
	 */
	public byte[] payload() {
		return this.delivery.payload().clone();
	}

	/**
	 * The due time of the message.
	 * @return the instant, in whole milliseconds
	 */
	public Instant dueAt() {
		return this.delivery.dueAt();
	}

	/**
	 * The number of this delivery.
	 * @return 1 for the first one
	 */
	public int attempt() {
		return this.delivery.attempt();
	}

	/**
	 * Whether the listener has returned without a failure, and a returned stage has
	 * completed without one.
	 * @return {@code false} also while the listener runs
	 */
	public boolean isHandled() {
		return this.end.getNow(Optional.empty()).isEmpty() && this.end.isDone();
	}

	/**
	 * The failure of the listener.
	 * @return the exception, empty if the listener has not failed or still runs
	 */
	public Optional<Throwable> failure() {
		return this.end.getNow(Optional.empty());
	}

	/**
	 * Describes the delivery.
	 * @return for example {@code 'o-1' of queue 'orders', attempt 2: handled}
	 */
	@Override
	public String toString() {
		String end = !this.end.isDone() ? "being handled"
				: failure().map((failure) -> "failed with " + failure).orElse("handled");
		return "'" + id() + "' of queue '" + queue() + "', attempt " + attempt() + ": " + end;
	}

}
