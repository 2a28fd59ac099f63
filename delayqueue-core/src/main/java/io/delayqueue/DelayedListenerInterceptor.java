package io.delayqueue;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Intercepts the handling of messages, for example to set and clear a tenant context, to
 * measure, or to skip messages. A listener names its interceptors with
 * {@link DelayedListener#interceptors()}; a {@link DelayedListenerContainerCustomizer}
 * adds interceptors for all listeners. Implementations must be thread-safe.
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
 * For each delivery the calls are nested: the interceptors are the outermost, the error
 * handler is inside them, and the error handler surrounds the conversion of the arguments
 * and the call of the listener. So the outcome of {@link Invocation#proceed()} is that of
 * the error handler, and the library also calls the interceptors for messages that cannot
 * be converted. An exception of an interceptor fails the delivery, without a call of the
 * error handler. Batch listeners have no interceptors.
 */
@FunctionalInterface
public interface DelayedListenerInterceptor {

	/**
	 * Intercepts the handling of a message. An implementation normally calls
	 * {@code next.proceed()}. If an implementation returns normally without a call of
	 * {@code next.proceed()}, the library acknowledges the message, and the listener is
	 * not called.
	 * @param message the message, with its payload as stored in Redis; implementations
	 * must not modify the bytes
	 * @param next the next interceptor, or finally the listener
	 * @return {@code null} if the message is handled, else a stage that completes when
	 * the message is handled: the stage that {@code next} returned, or a stage derived
	 * from that stage. If an interceptor returns {@code null} before the stage of the
	 * listener has completed, the library waits for the stage of the listener
	 * @throws Throwable if the handling failed
	 */
	@Nullable CompletionStage<?> intercept(DelayedMessage<byte[]> message, Invocation next) throws Throwable;

	/**
	 * The rest of the chain of calls: the remaining interceptors, the error handler and
	 * the listener.
	 */
	@FunctionalInterface
	interface Invocation {

		/**
		 * Calls the remaining interceptors, the error handler and the listener. Each
		 * further call of {@code proceed} handles the message again.
		 * @return {@code null} if the message is handled, else a stage that completes
		 * when the message is handled
		 * @throws Throwable if the handling failed
		 */
		@Nullable CompletionStage<?> proceed() throws Throwable;

	}

}
