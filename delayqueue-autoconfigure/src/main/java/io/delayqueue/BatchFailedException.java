package io.delayqueue;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Thrown by a batch listener of which some messages failed: says which, and of what. Each
 * of them fails by itself, so its cause may be a {@link RetryAfterException}, a
 * {@link DeferException} or whatever else a listener of single messages throws. All other
 * messages of the batch are acknowledged.
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
 * If it names no message, or one that is not in the batch, the whole batch fails, as it
 * does of any other exception (see {@link DelayedListener}). An id that two messages of
 * different groups share means both of them.
 *
 * <p>
 * Like any exception it rolls a transaction back around the listener, and with it what
 * was done for the messages that are acknowledged. A {@code @Transactional} listener says
 * {@code noRollbackFor = BatchFailedException.class}, or lets a failure be one of the
 * whole batch by throwing something else.
 *
 * <p>
 * Not safe for use by several threads until it is thrown.
 */
public final class BatchFailedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final LinkedHashMap<String, Throwable> failures = new LinkedHashMap<>();

	/** Creates the exception without failures. */
	public BatchFailedException() {
	}

	/**
	 * Adds a message that failed.
	 * @param id the message's id
	 * @param cause what it failed of; the first one counts if there are several
	 * @return this exception
	 * @throws InvalidMessageException if this is no id that a message can have, or there
	 * is no cause
	 */
	public BatchFailedException failed(String id, Throwable cause) {
		this.failures.putIfAbsent(Rules.id(id), Rules.cause(cause));
		return this;
	}

	/**
	 * The messages that failed.
	 * @return an immutable copy, id to cause, in the order in which they were added
	 */
	public Map<String, Throwable> failures() {
		return Collections.unmodifiableMap(new LinkedHashMap<>(this.failures));
	}

	/**
	 * Ends the work on a batch.
	 * @throws BatchFailedException this exception, if any message failed
	 */
	public void throwIfAny() {
		if (!this.failures.isEmpty()) {
			throw this;
		}
	}

	/**
	 * How many messages failed, and the first of them.
	 * @return one line
	 */
	@Override
	public String getMessage() {
		return this.failures.entrySet()
			.stream()
			.findFirst()
			.map((first) -> this.failures.size() + " messages of the batch failed, the first one '" + first.getKey()
					+ "': " + first.getValue())
			.orElse("The listener says that messages of its batch failed, but not which");
	}

}
