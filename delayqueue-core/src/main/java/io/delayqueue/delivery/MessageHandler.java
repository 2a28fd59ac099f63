package io.delayqueue.delivery;

import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedActionException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheOperationInvoker;
import org.springframework.core.retry.RetryException;
import org.springframework.messaging.MessageHandlingException;

/**
 * Handles one delivery per call. The consumer may call a handler from several threads at
 * once.
 */
@FunctionalInterface
public interface MessageHandler {

	/**
	 * Handles a delivery.
	 * @param delivery the delivery
	 * @return {@code null} if the message is handled; otherwise a stage that completes
	 * when the message is handled. The consumer occupies no thread while it waits for the
	 * stage
	 * @throws UnreadableMessageException if the payload cannot be converted to the type
	 * that the handler takes
	 * @throws Throwable if the handler failed
	 */
	@Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable;

	/**
	 * Whether the consumer interrupts the handler when the message of the handler is
	 * cancelled.
	 * @return {@code false} if the handler continues when its message is cancelled
	 */
	default boolean isInterruptible() {
		return false;
	}

	/**
	 * Whether {@link #timedOut} decides about an attempt whose handler has timed out.
	 * @return {@code false} if every attempt fails when its handler times out
	 */
	default boolean handlesTimeouts() {
		return false;
	}

	/**
	 * Decides whether a message whose handler has timed out is acknowledged. The consumer
	 * calls this method on another thread, because the handler may still run.
	 * @param delivery the delivery
	 * @param timeout the exception that reports the timeout
	 * @throws Throwable if the attempt fails; a normal return acknowledges the message
	 */
	default void timedOut(Delivery delivery, HandlerTimeoutException timeout) throws Throwable {
		throw timeout;
	}

	/**
	 * Returns the failure of a handler without the exceptions of the JDK and of Spring
	 * that only wrap another exception.
	 * @param failure the failure as the handler or its stage reports it, {@code null} if
	 * the handler has succeeded
	 * @return the first cause that is no wrapper; the failure itself if it is no wrapper
	 * or has no cause; {@code null} if the handler has succeeded
	 */
	static @Nullable Throwable causeOf(@Nullable Throwable failure) {
		Throwable cause = failure;
		while (cause != null && cause.getCause() != null && isWrapper(cause)) {
			cause = cause.getCause();
		}
		return cause;
	}

	private static boolean isWrapper(Throwable failure) {
		return failure instanceof CompletionException || failure instanceof ExecutionException
				|| failure instanceof UndeclaredThrowableException || failure instanceof InvocationTargetException
				|| failure instanceof PrivilegedActionException || failure instanceof UncheckedIOException
				|| failure instanceof ExceptionInInitializerError || failure instanceof RetryException
				|| failure instanceof MessageHandlingException || failure instanceof Cache.ValueRetrievalException
				|| failure instanceof CacheOperationInvoker.ThrowableWrapper
				|| failure.getClass().getName().equals("reactor.core.Exceptions$ReactiveException");
	}

}
