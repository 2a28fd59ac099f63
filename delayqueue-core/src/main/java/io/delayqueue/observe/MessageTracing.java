package io.delayqueue.observe;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.observe.ProcessingContext.TracedMessage;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Begins the tracing spans of messages: one span for each call that schedules messages,
 * and one span for each call of a handler. The span of a handler call is the root of its
 * own trace, and is linked to the span of the call that scheduled the message. Safe for
 * use by several threads.
 *
 * <p>
 * Spans are created through the observations of {@link DelayQueueObservation}, so that
 * the application's own observation handlers, conventions, filters and predicates apply.
 * If an observation handler, convention, filter or predicate throws an exception, {@code
 * MessageTracing} catches it, and the message is scheduled or handled without a span. The
 * first exception is logged as a warning, later exceptions at debug level.
 */
public final class MessageTracing implements AopInfrastructureBean {

	/** Tracing that creates no spans. */
	public static final MessageTracing NONE = new MessageTracing(ObservationRegistry.NOOP);

	private static final Log logger = LogFactory.getLog(MessageTracing.class);

	/** The most links of one span: the default limit of OpenTelemetry. */
	private static final int MOST_LINKS = 128;

	private final ObservationRegistry registry;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates the tracing.
	 * @param registry the registry of observations, with handlers that create spans
	 */
	public MessageTracing(ObservationRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Begins the span of a call that schedules one message.
	 * @param request the message
	 * @return the span, which the caller ends after the call
	 */
	public MessageSpan scheduling(ScheduleRequest request) {
		return begin(() -> scheduling(request.queue(), 1));
	}

	/**
	 * Begins the span of a call that schedules several messages.
	 * @param requests the messages, of one or more queues
	 * @return the span, which the caller ends after the call
	 */
	public MessageSpan scheduling(Collection<ScheduleRequest> requests) {
		return requests.isEmpty() ? MessageSpan.NONE : begin(() -> scheduling(queue(requests), requests.size()));
	}

	private static @Nullable String queue(Collection<ScheduleRequest> requests) {
		String first = requests.iterator().next().queue();
		return requests.stream().allMatch((request) -> request.queue().equals(first)) ? first : null;
	}

	private MessageSpan scheduling(@Nullable String queue, int messages) {
		SchedulingContext context = new SchedulingContext(queue, messages);
		return new MessageSpan(this,
				DelayQueueObservation.SCHEDULE.start(null, SchedulingContext.CONVENTION, () -> context, this.registry),
				context.outcomes(), context.propagated());
	}

	/**
	 * Begins the span of a handler call with one message.
	 * @param queue the queue
	 * @param id the message's id
	 * @param attempt the number of this attempt, starting at 1
	 * @param headers the message's headers
	 * @return the span, which the caller ends after the handler has ended
	 */
	public MessageSpan processing(String queue, String id, int attempt, Map<String, String> headers) {
		return begin(
				() -> processing(new ProcessingContext(queue, attempt, 1, List.of(new TracedMessage(id, headers)))));
	}

	/**
	 * Begins the span of a handler call with a batch.
	 * @param <T> the type of the messages
	 * @param queue the queue
	 * @param messages the messages, at least one
	 * @param id returns the id of a message
	 * @param headers returns the headers of a message
	 * @return the span, which the caller ends after the handler has ended
	 */
	public <T> MessageSpan processing(String queue, List<T> messages, Function<T, String> id,
			Function<T, Map<String, String>> headers) {
		return begin(() -> processing(new ProcessingContext(queue, 0, messages.size(),
				messages.stream()
					.limit(MOST_LINKS)
					.map((message) -> new TracedMessage(id.apply(message), headers.apply(message)))
					.toList())));
	}

	private MessageSpan processing(ProcessingContext context) {
		return new MessageSpan(this,
				DelayQueueObservation.PROCESS.start(null, ProcessingContext.CONVENTION, () -> context, this.registry),
				context.outcomes(), Map.of());
	}

	private MessageSpan begin(Supplier<MessageSpan> beginning) {
		return this.registry.isNoop() ? MessageSpan.NONE : guarded(beginning, MessageSpan.NONE);
	}

	/**
	 * Makes a call to the tracing code, and returns the fallback if that code throws an
	 * exception.
	 */
	<T> T guarded(Supplier<T> call, T fallback) {
		try {
			return call.get();
		}
		catch (RuntimeException | Error failure) {
			String what = "A span could not be recorded";
			if (this.warned.compareAndSet(false, true)) {
				logger.warn(what + ": traces have gaps. Scheduling and delivery of messages continue; further failures"
						+ " are logged at debug level", failure);
			}
			else {
				logger.debug(what, failure);
			}
			return fallback;
		}
	}

}
