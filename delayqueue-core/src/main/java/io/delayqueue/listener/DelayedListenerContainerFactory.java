package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.delayqueue.DeferException;
import io.delayqueue.DelayedListenerContainerCustomizer;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.HoldException;
import io.delayqueue.delivery.BatchHandler;
import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.delivery.CancellableStage;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.MessageHandler;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.delivery.QueueConsumerFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * Creates the containers of endpoints. A method is wrapped first with the error handler,
 * then with the interceptors of its annotation, and outermost with the interceptors of
 * the customizers.
 */
final class DelayedListenerContainerFactory {

	private final BeanFactory beanFactory;

	DelayedListenerContainerFactory(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Creates a container; reports a fault if a customizer adds an error handler or an
	 * interceptor to a batch listener.
	 */
	DelayedListenerContainer create(DelayedListenerEndpoint endpoint, Faults faults) {
		QueueConsumerFactory consumers = this.beanFactory.getBean(QueueConsumerFactory.class);
		String named = endpoint.attributes().beans().executor();
		Executor executor = (named != null) ? this.beanFactory.getBean(named, Executor.class) : null;
		MessageHandler expired = (endpoint.expired() != null) ? handler(endpoint.expired()) : null;
		BatchSettings batches = endpoint.batches();
		QueueConsumer consumer = (batches != null)
				? consumers.create(endpoint.settings(), batchHandler(endpoint, faults), batches, expired, executor)
				: consumers.create(endpoint.settings(), interruptible(endpoint, handler(endpoint)), expired, executor);
		return new DelayedListenerContainer(endpoint, consumer,
				this.beanFactory.getBean(DelayedListenerRegistry.class).stopTimeout());
	}

	private static MessageHandler interruptible(DelayedListenerEndpoint endpoint, MessageHandler handler) {
		return endpoint.attributes().running().interruptible() ? new Interruptible(handler) : handler;
	}

	private MessageHandler handler(DelayedListenerEndpoint endpoint) {
		Customized container = customized(endpoint);
		for (String interceptor : endpoint.attributes().beans().interceptors()) {
			container.interceptor(this.beanFactory.getBean(interceptor, DelayedListenerInterceptor.class));
		}
		String errorHandler = endpoint.attributes().beans().errorHandler();
		if (errorHandler != null) {
			container.errorHandler(this.beanFactory.getBean(errorHandler, DelayedListenerErrorHandler.class));
		}
		return container.handler();
	}

	/**
	 * An error handler or interceptor for a batch listener is a fault; it is not silently
	 * ignored.
	 */
	private BatchHandler batchHandler(DelayedListenerEndpoint endpoint, Faults faults) {
		ListenerMethod method = endpoint.method();
		Customized container = customized(endpoint);
		if (container.errorHandler != null || !container.interceptors.isEmpty()) {
			faults.of(method.getBeanName(), method.toString())
				.method("takes batches, but a DelayedListenerContainerCustomizer adds an interceptor or an error handler,"
						+ " which are called for one message at a time", "Check isBatch() in the customizer first");
		}
		return method;
	}

	private Customized customized(DelayedListenerEndpoint endpoint) {
		Customized container = new Customized(endpoint);
		this.beanFactory.getBeanProvider(DelayedListenerContainerCustomizer.class)
			.orderedStream()
			.forEach((customizer) -> customizer.customize(container));
		return container;
	}

	private static final class Customized implements DelayedListenerContainerCustomizer.Container {

		private final DelayedListenerEndpoint endpoint;

		private final List<DelayedListenerInterceptor> interceptors = new ArrayList<>();

		private @Nullable DelayedListenerErrorHandler errorHandler;

		Customized(DelayedListenerEndpoint endpoint) {
			this.endpoint = endpoint;
		}

		@Override
		public String id() {
			return this.endpoint.id();
		}

		@Override
		public String queue() {
			return this.endpoint.queue().name();
		}

		@Override
		public boolean isBatch() {
			return this.endpoint.batches() != null;
		}

		@Override
		public DelayedListenerContainerCustomizer.Container interceptor(DelayedListenerInterceptor interceptor) {
			this.interceptors.add(interceptor);
			return this;
		}

		@Override
		public DelayedListenerContainerCustomizer.Container errorHandler(DelayedListenerErrorHandler errorHandler) {
			this.errorHandler = errorHandler;
			return this;
		}

		MessageHandler handler() {
			MessageHandler handler = this.endpoint.method();
			if (this.errorHandler != null) {
				handler = new ErrorHandled(handler, this.errorHandler);
			}
			for (int i = this.interceptors.size() - 1; i >= 0; i--) {
				handler = new Intercepted(handler, this.interceptors.get(i));
			}
			return handler;
		}

	}

	/** A handler that is interrupted when its message is cancelled. */
	private record Interruptible(MessageHandler next) implements MessageHandler {

		@Override
		public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
			return this.next.handle(delivery);
		}

		@Override
		public boolean isInterruptible() {
			return true;
		}

		@Override
		public boolean handlesTimeouts() {
			return this.next.handlesTimeouts();
		}

		@Override
		public void timedOut(Delivery delivery, HandlerTimeoutException timeout) throws Throwable {
			this.next.timedOut(delivery, timeout);
		}

	}

	/** A handler whose failures are passed to an error handler. */
	private record ErrorHandled(MessageHandler next,
			DelayedListenerErrorHandler errorHandler) implements MessageHandler {

		@Override
		public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
			CompletionStage<?> stage;
			try {
				stage = this.next.handle(delivery);
			}
			catch (Throwable failure) {
				rescue(delivery, failure);
				return null;
			}
			return (stage != null)
					? new CancellableStage(stage.handle((ignored, failure) -> ended(delivery, failure)), stage) : null;
		}

		private @Nullable Void ended(Delivery delivery, @Nullable Throwable failure) {
			if (failure != null) {
				try {
					rescue(delivery, failure);
				}
				catch (Throwable unrescued) {
					throw new CompletionException(unrescued);
				}
			}
			return null;
		}

		@Override
		public boolean handlesTimeouts() {
			return true;
		}

		@Override
		public void timedOut(Delivery delivery, HandlerTimeoutException timeout) throws Throwable {
			this.errorHandler.handle(ReceivedMessage.raw(delivery), timeout);
		}

		private void rescue(Delivery delivery, Throwable failure) throws Throwable {
			Throwable cause = Objects.requireNonNull(MessageHandler.causeOf(failure));
			if (cause instanceof DeferException || cause instanceof HoldException || delivery.isOverruled()) {
				// Neither a deferral nor a hold is a failure, and a failure after a
				// timeout or a cancellation does not count
				throw cause;
			}
			this.errorHandler.handle(ReceivedMessage.raw(delivery), cause);
		}

	}

	/** A handler that is wrapped in an interceptor. */
	private record Intercepted(MessageHandler next, DelayedListenerInterceptor interceptor) implements MessageHandler {

		/**
		 * An interceptor that returns {@code null} acknowledges the message only if the
		 * stage of the listener has completed; otherwise the result of that stage counts.
		 */
		@Override
		public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
			Proceeding next = new Proceeding(this.next, delivery);
			CompletionStage<?> stage = this.interceptor.intercept(ReceivedMessage.raw(delivery), next);
			CompletionStage<?> last = next.unfinished();
			if (stage == null || stage == last || last == null) {
				return (stage != null) ? stage : last;
			}
			return new CancellableStage(stage, last);
		}

		@Override
		public boolean handlesTimeouts() {
			return this.next.handlesTimeouts();
		}

		@Override
		public void timedOut(Delivery delivery, HandlerTimeoutException timeout) throws Throwable {
			this.next.timedOut(delivery, timeout);
		}

	}

	/**
	 * The invocation that an interceptor receives. Confined to the thread of the
	 * delivery, unless the interceptor passes the invocation to another thread.
	 */
	private static final class Proceeding implements DelayedListenerInterceptor.Invocation {

		private final MessageHandler handler;

		private final Delivery delivery;

		private volatile @Nullable CompletionStage<?> last;

		Proceeding(MessageHandler handler, Delivery delivery) {
			this.handler = handler;
			this.delivery = delivery;
		}

		@Override
		public @Nullable CompletionStage<?> proceed() throws Throwable {
			CompletionStage<?> stage = this.handler.handle(this.delivery);
			this.last = stage;
			return stage;
		}

		@Nullable CompletionStage<?> unfinished() {
			CompletionStage<?> stage = this.last;
			return (stage != null && !isDone(stage)) ? stage : null;
		}

		private static boolean isDone(CompletionStage<?> stage) {
			try {
				return stage.toCompletableFuture().isDone();
			}
			catch (UnsupportedOperationException unknown) {
				return false;
			}
		}

	}

}
