package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.DelayedListenerContainerCustomizer;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.delivery.BatchHandler;
import io.delayqueue.delivery.MessageHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * Wraps an annotated method, from the inside out, with the error handler, the
 * interceptors of its annotation, and the interceptors of the customizers.
 */
final class EndpointHandlers {

	private final BeanFactory beanFactory;

	EndpointHandlers(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	MessageHandler of(DelayedListenerEndpoint endpoint) {
		Customized container = customized(endpoint);
		for (String interceptor : endpoint.beans().interceptors()) {
			container.interceptor(this.beanFactory.getBean(interceptor, DelayedListenerInterceptor.class));
		}
		String errorHandler = endpoint.beans().errorHandler();
		if (errorHandler != null) {
			container.errorHandler(this.beanFactory.getBean(errorHandler, DelayedListenerErrorHandler.class));
		}
		return container.wrap(new EndpointMessageHandler(endpoint.method()));
	}

	/**
	 * An error handler or interceptor for a batch listener is a fault; it is not silently
	 * ignored.
	 */
	BatchHandler ofBatches(DelayedListenerEndpoint endpoint, Faults faults) {
		if (customized(endpoint).isCustomized()) {
			ListenerMethod method = endpoint.method();
			faults.of(method.getBeanName(), method.toString())
				.method("takes batches, but a DelayedListenerContainerCustomizer adds an interceptor or an error handler,"
						+ " which are called for one message at a time", "Check isBatch() in the customizer first");
		}
		return new EndpointBatchHandler(endpoint.method());
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
			return this.endpoint.queue();
		}

		@Override
		public boolean isBatch() {
			return this.endpoint.isBatch();
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

		boolean isCustomized() {
			return this.errorHandler != null || !this.interceptors.isEmpty();
		}

		MessageHandler wrap(MessageHandler method) {
			MessageHandler handler = (this.errorHandler != null) ? new RescuedMessageHandler(method, this.errorHandler)
					: method;
			for (int i = this.interceptors.size() - 1; i >= 0; i--) {
				handler = new InterceptedMessageHandler(handler, this.interceptors.get(i));
			}
			return handler;
		}

	}

}
