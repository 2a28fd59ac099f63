package io.delayqueue.observe;

import java.util.LinkedHashMap;
import java.util.Map;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of a call that schedules. Its carrier collects the headers
 * that are written into each message of the call.
 */
public final class SchedulingContext extends SenderContext<Map<String, String>> {

	/** Same limit as for a header set by the caller. */
	private static final int MOST_CHARACTERS = 8192;

	private final @Nullable String queue;

	private final int messages;

	private final Map<String, String> headers = new LinkedHashMap<>();

	private final Outcomes outcomes = new Outcomes();

	SchedulingContext(@Nullable String queue, int messages) {
		super((headers, name, value) -> {
			if (headers != null && value.length() <= MOST_CHARACTERS) {
				headers.put(name, value);
			}
		}, Kind.PRODUCER);
		this.queue = queue;
		this.messages = messages;
		setCarrier(this.headers);
	}

	/**
	 * Returns the queue.
	 * @return the queue's name, {@code null} if the messages go to several queues
	 */
	public @Nullable String queue() {
		return this.queue;
	}

	/**
	 * Returns the number of messages that the call schedules.
	 * @return 1 or more
	 */
	public int messages() {
		return this.messages;
	}

	/**
	 * Returns the outcome for the messages, as in the meter {@code delayqueue.scheduled}.
	 * @return {@code none} while the outcome is unknown, {@code mixed} if the outcomes
	 * differ
	 */
	public String outcome() {
		return this.outcomes.toString();
	}

	Map<String, String> headers() {
		return this.headers;
	}

	Outcomes outcomes() {
		return this.outcomes;
	}

}
