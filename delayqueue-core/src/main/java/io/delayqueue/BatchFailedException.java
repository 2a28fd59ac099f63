package io.delayqueue;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

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
 *             failed.failed(report.id(), ex);
 *         }
 *     }
 *     failed.throwIfAny();
 * }
 * </pre>
 *
 * <p>
 * If the exception names no message, or a message that is not in the batch, the whole
 * batch fails, as for any other exception of a listener (see {@link DelayedListener}). If
 * the exception names an id that several messages of the batch have, each in its own
 * group, all these messages fail.
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

	/** Creates an exception that names no failed message yet. */
	public BatchFailedException() {
	}

	/**
	 * Adds a failed message of the batch to this exception.
	 * @param id the id of the failed message
	 * @param cause the cause of the failure; if an id is added again, its first cause is
	 * kept
	 * @return this exception
	 * @throws InvalidMessageException if the id is invalid or the cause is {@code null}
	 */
	public BatchFailedException failed(String id, Throwable cause) {
		this.failures.putIfAbsent(Rules.id(id), Rules.cause(cause));
		return this;
	}

	/**
	 * Returns the failed messages with the causes of their failures.
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
