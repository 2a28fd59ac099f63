package io.delayqueue;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Surrounds the handling of messages: to set and clear what belongs to a tenant, to
 * measure, to skip. Named by {@link DelayedListener#interceptors()}, or added for all
 * listeners by a {@link DelayedListenerContainerCustomizer}.
 *
 * <pre class="code">
 * &#64;Nullable CompletionStage&lt;?&gt; intercept(DelayedMessage&lt;byte[]&gt; message, Invocation next) throws Throwable {
 *     Tenant.set(message.headers().get("tenant"));
 *     try {
 *         return next.proceed();
 *     }
 *     finally {
 *         Tenant.clear();
 *     }
 * }
 * </pre>
 *
 * <p>
 * Interceptors are the outermost: within them comes the error handler, within that the
 * arguments are made and the listener is called. So an interceptor sees what the error
 * handler made of a failure, and is called also for messages that cannot be converted.
 * What it throws is a failure of this delivery, which no error handler sees. Batch
 * listeners have no interceptors. Implementations must be safe for use by several
 * threads.
 */
@FunctionalInterface
public interface DelayedListenerInterceptor {

	/**
	 * Handles a message, as a rule by proceeding. An interceptor that does not proceed
	 * decides alone: a normal return acknowledges the message.
	 * @param message the message, with its payload as it stands in Redis; the bytes are
	 * not to be changed
	 * @param next the next interceptor, or in the end the listener
	 * @return {@code null} if the message is handled; else a stage that completes when it
	 * is: what {@code next} returned, or what was made of that. If that is forgotten and
	 * {@code null} returned while the stage of the listener has not completed, the stage
	 * counts
	 * @throws Throwable if the handling failed
	 */
	@Nullable CompletionStage<?> intercept(DelayedMessage<byte[]> message, Invocation next) throws Throwable;

	/** What is within an interceptor. */
	@FunctionalInterface
	interface Invocation {

		/**
		 * Goes on with the message. May be called again, which handles the message again.
		 * @return {@code null} if the message is handled; else a stage that completes
		 * when it is
		 * @throws Throwable if the handling failed
		 */
		@Nullable CompletionStage<?> proceed() throws Throwable;

	}

}
