package io.delayqueue;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a batch listener to report which messages of the batch failed, and why. Each
 * message that the exception names fails individually, so a cause may be a
 * {@link RetryAfterException}, a {@link DeferException}, a {@link HoldException} or any
 * other exception that a listener for single messages may throw. The library acknowledges
 * the messages of the batch that the exception does not name.
 *
 * <pre class="code">
 * &#64;DelayedListener(queue = "reports", batch = "128")
 * void send(List&lt;DelayedMessage&lt;Report&gt;&gt; reports) {
 *     BatchFailedException failed = new BatchFailedException();
 *     for (DelayedMessage&lt;Report&gt; report : reports) {
 *         try {
 *             send(report.payload());
 *         }
 *         catch (SendException ex) {
 *             failed.failed(report, ex);
 *         }
 *     }
 *     failed.throwIfAny();
 * }
 * </pre>
 *
 * <p>
 * If the exception names no message, or an id that is not in the batch, the whole batch
 * fails, as for any other exception of a listener (see {@link DelayedListener}).
 *
 * <p>
 * Like any exception, {@code BatchFailedException} rolls back a transaction around the
 * listener, including the work for messages that are acknowledged. A
 * {@code @Transactional} listener should either declare
 * {@code noRollbackFor = BatchFailedException.class}, or throw another exception to fail
 * the whole batch.
 *
 * <p>
 * Only one thread at a time may add failures to this exception.
 */
public final class BatchFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final LinkedHashMap<String, Throwable> failures = new LinkedHashMap<>();

	/** The failures of the messages that were added with their group. */
	private final LinkedHashMap<String, Throwable> ofMessages = new LinkedHashMap<>();

	/** The ids that were added without a group. */
	private final LinkedHashSet<String> ids = new LinkedHashSet<>();

	/** Creates an exception that names no failed message yet. */
	public BatchFailedException() {
	}

	/**
	 * Adds a failed message of the batch to this exception.
	 * @param message the failed message
	 * @param cause the cause of the failure; if a message is added again, its first cause
	 * is kept
	 * @return this exception
	 * @throws InvalidMessageException if the cause is {@code null}
	 */
	public BatchFailedException failed(DelayedMessage<?> message, Throwable cause) {
		this.ofMessages.putIfAbsent(name(message.id(), message.group().orElse(null)), Rules.cause(cause));
		this.failures.putIfAbsent(message.id(), cause);
		return this;
	}

	/**
	 * Adds a failed message of the batch to this exception, by its id alone. If the batch
	 * has several messages with this id, each in its own group, all of them fail.
	 * @param id the id of the failed message
	 * @param cause the cause of the failure; if an id is added again, its first cause is
	 * kept
	 * @return this exception
	 * @throws InvalidMessageException if the id is invalid or the cause is {@code null}
	 */
	public BatchFailedException failed(String id, Throwable cause) {
		this.failures.putIfAbsent(Rules.id(id), Rules.cause(cause));
		this.ids.add(id);
		return this;
	}

	private static String name(String id, @Nullable String group) {
		return (group != null) ? id + '\n' + group : id;
	}

	/**
	 * Returns why a message of the batch has failed.
	 * @param id the id of the message
	 * @param group the group key of the message, {@code null} if it has none
	 * @return the cause, empty if this exception does not name the message
	 */
	public Optional<Throwable> failureOf(String id, @Nullable String group) {
		Throwable own = this.ofMessages.get(name(id, group));
		return Optional.ofNullable((own != null || !this.ids.contains(id)) ? own : this.failures.get(id));
	}

	/**
	 * Returns the ids of the failed messages with the first cause of each id.
	 * @return an immutable map from message id to cause, in the order of addition
	 */
	public Map<String, Throwable> failures() {
		return Collections.unmodifiableMap(new LinkedHashMap<>(this.failures));
	}

	/**
	 * Throws this exception if a failed message was added, and does nothing otherwise.
	 * @throws BatchFailedException this exception, if a failed message was added
	 */
	public void throwIfAny() {
		if (!this.failures.isEmpty()) {
			throw this;
		}
	}

	/**
	 * Returns a text with the number of failed messages and the first failure.
	 * @return a text of one line
	 */
	@Override
	public String getMessage() {
		return this.failures.entrySet()
			.stream()
			.findFirst()
			.map((first) -> this.failures.size() + " messages of the batch failed, the first one '" + first.getKey()
					+ "': " + first.getValue())
			.orElse("The listener threw BatchFailedException without naming a failed message");
	}

}
