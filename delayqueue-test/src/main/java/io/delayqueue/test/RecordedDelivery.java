package io.delayqueue.test;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * What a listener was given, and what it made of it. A message that is handed over again
 * is recorded again. Safe for use by several threads.
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
	 * The payload as it stood in Redis: JSON, unless the application has a converter of
	 * its own.
	 * @return a copy
	 */
	public byte[] payload() {
		return this.delivery.payload().clone();
	}

	/**
	 * When the message was due.
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
	 * Whether the listener has returned, or what it returned has completed, without a
	 * failure.
	 * @return {@code false} also while it runs
	 */
	public boolean isHandled() {
		return this.end.getNow(Optional.empty()).isEmpty() && this.end.isDone();
	}

	/**
	 * What the listener has failed with.
	 * @return what it threw, empty if it has not failed or still runs
	 */
	public Optional<Throwable> failure() {
		return this.end.getNow(Optional.empty());
	}

	/**
	 * What it was, in a few words.
	 * @return for example {@code 'o-1' of queue 'orders', attempt 2: handled}
	 */
	@Override
	public String toString() {
		String end = !this.end.isDone() ? "being handled"
				: failure().map((failure) -> "failed with " + failure).orElse("handled");
		return "'" + id() + "' of queue '" + queue() + "', attempt " + attempt() + ": " + end;
	}

}
