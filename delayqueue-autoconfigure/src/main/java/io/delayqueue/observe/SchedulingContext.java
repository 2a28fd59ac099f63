package io.delayqueue.observe;

import java.util.LinkedHashMap;
import java.util.Map;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import org.jspecify.annotations.Nullable;

/**
 * What an observation of a call that schedules is about. Its carrier takes the headers
 * that are written into each message of the call.
 */
public final class SchedulingContext extends SenderContext<Map<String, String>> {

	/** As much as a header of the caller's own may have. */
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
	 * The queue.
	 * @return the queue's name, {@code null} if the messages go to several
	 */
	public @Nullable String queue() {
		return this.queue;
	}

	/**
	 * How many messages the call schedules.
	 * @return 1 or more
	 */
	public int messages() {
		return this.messages;
	}

	/**
	 * What became of them, as the meter {@code delayqueue.scheduled} has it.
	 * @return {@code none} as long as that is not known, {@code mixed} if it differs
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
