package io.delayqueue.test;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * A delivery of a message to a listener, and the result of the listener. Each redelivery
 * of a message is recorded separately. Safe for use by several threads.
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
	 * {@return the name of the message's queue}
	 */
	public String queue() {
		return this.delivery.queue();
	}

	/**
	 * {@return the message's id}
	 */
	public String id() {
		return this.delivery.id();
	}

	/**
	 * {@return the group key of the message, {@code null} if the message has none}
	 */
	public @Nullable String group() {
		return this.delivery.group();
	}

	/**
	 * Returns the headers of the message.
	 * @return an immutable map
	 */
	public Map<String, String> headers() {
		return this.delivery.headers();
	}

	/**
	 * Returns the payload as stored in Redis: JSON, unless the application has its own
	 * converter.
	 * @return a copy of the payload
	 */
	public byte[] payload() {
		return this.delivery.payload().clone();
	}

	/**
	 * Returns the due time of the message.
	 * @return the instant, in whole milliseconds
	 */
	public Instant dueAt() {
		return this.delivery.dueAt();
	}

	/**
	 * {@return the number of this attempt to handle the message, 1 for the first attempt}
	 */
	public int attempt() {
		return this.delivery.attempt();
	}

	/**
	 * Returns whether the listener has handled the message without a failure. If the
	 * listener returns a {@code CompletionStage}, the stage must have completed.
	 * @return {@code false} also while the listener still handles the message
	 */
	public boolean isHandled() {
		return this.end.getNow(Optional.empty()).isEmpty() && this.end.isDone();
	}

	/**
	 * {@return the exception with which the listener has failed, empty if the listener
	 * has not failed or still handles the message}
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
