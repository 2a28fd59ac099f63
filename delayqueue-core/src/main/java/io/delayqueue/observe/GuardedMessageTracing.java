package io.delayqueue.observe;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.delayqueue.ScheduleRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tracing behind a guard: exceptions of the tracing are caught here, and the message is
 * processed without a span. The first failure is logged as a warning, later ones at debug
 * level. Safe for use by several threads if the tracing is.
 */
public final class GuardedMessageTracing implements MessageTracing {

	private static final Log logger = LogFactory.getLog(GuardedMessageTracing.class);

	private final MessageTracing tracing;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Guards a tracing.
	 * @param tracing the tracing that begins the spans
	 */
	public GuardedMessageTracing(MessageTracing tracing) {
		this.tracing = tracing;
	}

	@Override
	public MessageSpan scheduling(ScheduleRequest request) {
		return begin(() -> this.tracing.scheduling(request));
	}

	@Override
	public MessageSpan scheduling(Collection<ScheduleRequest> requests) {
		return begin(() -> this.tracing.scheduling(requests));
	}

	@Override
	public MessageSpan processing(String queue, String id, int attempt, Map<String, String> headers) {
		return begin(() -> this.tracing.processing(queue, id, attempt, headers));
	}

	@Override
	public <T> MessageSpan processing(String queue, List<T> messages, Function<T, String> id,
			Function<T, Map<String, String>> headers) {
		return begin(() -> this.tracing.processing(queue, messages, id, headers));
	}

	private MessageSpan begin(Supplier<MessageSpan> beginning) {
		MessageSpan span = guarded(beginning, MessageSpan.NONE);
		return (span != MessageSpan.NONE) ? new Guarded(span) : MessageSpan.NONE;
	}

	private <T> T guarded(Supplier<T> call, T fallback) {
		try {
			return call.get();
		}
		catch (RuntimeException | Error failure) {
			String what = "A span could not be recorded by " + this.tracing.getClass().getName();
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

	private void guarded(Runnable call) {
		guarded(() -> {
			call.run();
			return true;
		}, false);
	}

	private final class Guarded implements MessageSpan {

		private final MessageSpan span;

		Guarded(MessageSpan span) {
			this.span = span;
		}

		@Override
		public Map<String, String> headers(Map<String, String> own) {
			return guarded(() -> this.span.headers(own), own);
		}

		@Override
		public void message(String id) {
			guarded(() -> this.span.message(id));
		}

		@Override
		public void outcome(Enum<?> outcome) {
			guarded(() -> this.span.outcome(outcome));
		}

		@Override
		public void failed(Throwable failure) {
			guarded(() -> this.span.failed(failure));
		}

		@Override
		public Scope open() {
			Scope scope = guarded(this.span::open, Scope.NONE);
			return () -> guarded(scope::close);
		}

		@Override
		public void end() {
			guarded(this.span::end);
		}

	}

}
