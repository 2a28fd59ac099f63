package io.delayqueue.journey;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.delayqueue.DelayedListenerInterceptor;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An interceptor and an executor that record the current span.
 */
@Configuration(proxyBeanMethods = false)
class HandlerSurroundings {

	/** The trace in the interceptor, by message. */
	static final Map<String, String> intercepted = new ConcurrentHashMap<>();

	/** The current span after each run of a handler. */
	static final List<String> after = new CopyOnWriteArrayList<>();

	@Bean
	DelayedListenerInterceptor watching(Tracer tracer) {
		return (message, next) -> {
			intercepted.put(message.id(), traceOf(tracer.currentSpan()));
			return next.proceed();
		};
	}

	@Bean(destroyMethod = "shutdownNow")
	ExecutorService thread() {
		return Executors.newSingleThreadExecutor();
	}

	@Bean
	Executor ownThread(ExecutorService thread, Tracer tracer) {
		return (task) -> thread.execute(() -> {
			task.run();
			after.add(traceOf(tracer.currentSpan()) + " " + MDC.get("traceId"));
		});
	}

	private static String traceOf(@Nullable Span span) {
		return (span != null) ? span.context().traceId() : "none";
	}

}
