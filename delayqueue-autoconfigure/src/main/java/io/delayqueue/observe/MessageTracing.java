package io.delayqueue.observe;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.delayqueue.ScheduleRequest;

/**
 * Begins the spans of a message's journey: one for each call that schedules, and one for
 * each call of a handler, which is the root of a trace of its own and is linked to the
 * span that scheduled the message. Implementations return at once, throw nothing, and are
 * safe for use by several threads.
 */
public interface MessageTracing {

	/** Begins no spans. */
	MessageTracing NONE = new MessageTracing() {
	};

	/**
	 * Begins the span of a call that schedules one message.
	 * @param request the message
	 * @return the span, to be ended when the call has
	 */
	default MessageSpan scheduling(ScheduleRequest request) {
		return MessageSpan.NONE;
	}

	/**
	 * Begins the span of a call that schedules several messages.
	 * @param requests the messages, of one queue or of several
	 * @return the span, to be ended when the call has
	 */
	default MessageSpan scheduling(Collection<ScheduleRequest> requests) {
		return MessageSpan.NONE;
	}

	/**
	 * Begins the span of a handler that is about to get a message.
	 * @param queue the queue
	 * @param id the message's id
	 * @param attempt the number of this attempt, 1 for the first one
	 * @param headers the message's headers
	 * @return the span, to be ended when the handler has
	 */
	default MessageSpan processing(String queue, String id, int attempt, Map<String, String> headers) {
		return MessageSpan.NONE;
	}

	/**
	 * Begins the span of a handler that is about to get a batch.
	 * @param <T> the type of the messages
	 * @param queue the queue
	 * @param messages the messages, at least one
	 * @param id tells the id of a message
	 * @param headers tells the headers of a message
	 * @return the span, to be ended when the handler has
	 */
	default <T> MessageSpan processing(String queue, List<T> messages, Function<T, String> id,
			Function<T, Map<String, String>> headers) {
		return MessageSpan.NONE;
	}

}
