package io.delayqueue.listener;

/**
 * The names under which a listener finds what is not a header of the message's own, with
 * {@code @Header}, {@code @Headers} or in a {@code Message}. They take precedence over
 * headers of the message with the same name.
 */
public final class DelayQueueHeaders {

	/** What all these names begin with. */
	public static final String PREFIX = "delayqueue_";

	/** The queue's name, a {@code String}. */
	public static final String QUEUE = PREFIX + "queue";

	/** The message's id, a {@code String}: the same for every delivery. */
	public static final String ID = PREFIX + "id";

	/** The group key, a {@code String}; absent if the message has none. */
	public static final String GROUP = PREFIX + "group";

	/** The due time, a {@code java.time.Instant} in whole milliseconds. */
	public static final String DUE = PREFIX + "due";

	/** The number of this delivery, an {@code Integer}: 1 for the first one. */
	public static final String ATTEMPT = PREFIX + "attempt";

	/** After how many failures the message is set aside, an {@code Integer}. */
	public static final String MAX_ATTEMPTS = PREFIX + "maxAttempts";

	private DelayQueueHeaders() {
	}

}
