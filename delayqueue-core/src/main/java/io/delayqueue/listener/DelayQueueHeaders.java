package io.delayqueue.listener;

/**
 * Names of the headers that this library adds to the message's own headers, for listeners
 * with {@code @Header}, {@code @Headers} or Spring's {@code Message}. A header of the
 * library takes precedence over a header of the message with the same name.
 */
public final class DelayQueueHeaders {

	/** The prefix of all these names. */
	public static final String PREFIX = "delayqueue_";

	/** The queue's name, a {@code String}. */
	public static final String QUEUE = PREFIX + "queue";

	/** The message's id, a {@code String}; the same for every delivery. */
	public static final String ID = PREFIX + "id";

	/** The group key, a {@code String}; absent if the message has none. */
	public static final String GROUP = PREFIX + "group";

	/** The due time, a {@code java.time.Instant} in whole milliseconds. */
	public static final String DUE = PREFIX + "due";

	/** The number of this attempt, an {@code Integer}; 1 for the first one. */
	public static final String ATTEMPT = PREFIX + "attempt";

	/**
	 * The number of failures after which the message is dead-lettered, an
	 * {@code Integer}; 1 or more.
	 */
	public static final String MAX_ATTEMPTS = PREFIX + "maxAttempts";

	private DelayQueueHeaders() {
	}

}
