package io.delayqueue.observe;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.delayqueue.ScheduleRequest;

/**
 * Begins the spans of messages: one for each call that schedules, and one for each call
 * of a handler. The span of a handler is the root of its own trace and is linked to the
 * span that scheduled the message. Implementations return immediately, throw no
 * exceptions, and are safe for use by several threads.
 */
public interface MessageTracing {

	/** Tracing without spans. */
	MessageTracing NONE = new MessageTracing() {
	};

	/**
	 * Begins the span of a call that schedules one message.
	 * @param request the message
	 * @return the span; the caller ends it after the call
	 */
	default MessageSpan scheduling(ScheduleRequest request) {
		return MessageSpan.NONE;
	}

	/**
	 * Begins the span of a call that schedules several messages.
	 * @param requests the messages, of one or more queues
	 * @return the span; the caller ends it after the call
	 */
	default MessageSpan scheduling(Collection<ScheduleRequest> requests) {
		return MessageSpan.NONE;
	}

	/**
	 * Begins the span of a handler call with one message.
	 * @param queue the queue
	 * @param id the message's id
	 * @param attempt the number of this attempt, starting at 1
	 * @param headers the message's headers
	 * @return the span; the caller ends it after the handler returns
	 */
	default MessageSpan processing(String queue, String id, int attempt, Map<String, String> headers) {
		return MessageSpan.NONE;
	}

	/**
	 * Begins the span of a handler call with a batch.
	 * @param <T> the type of the messages
	 * @param queue the queue
	 * @param messages the messages, at least one
	 * @param id returns the id of a message
	 * @param headers returns the headers of a message
	 * @return the span; the caller ends it after the handler returns
	 */
	default <T> MessageSpan processing(String queue, List<T> messages, Function<T, String> id,
			Function<T, Map<String, String>> headers) {
		return MessageSpan.NONE;
	}

}
