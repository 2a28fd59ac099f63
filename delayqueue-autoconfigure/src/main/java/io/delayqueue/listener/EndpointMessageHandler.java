package io.delayqueue.listener;

import java.util.concurrent.CompletionStage;

import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.MessageHandler;
import org.jspecify.annotations.Nullable;

/**
 * Hands deliveries to an annotated method.
 */
final class EndpointMessageHandler implements MessageHandler {

	private final ListenerMethod method;

	EndpointMessageHandler(ListenerMethod method) {
		this.method = method;
	}

	@Override
	public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
		@Nullable Object[] arguments = this.method.resolveArguments(new DeliveryMessage(delivery));
		Object returned = this.method.call(arguments);
		if (returned instanceof CompletionStage<?> stage) {
			return stage;
		}
		// A method that is declared to return Object may return what nobody would await
		if (returned != null && ReturnTypes.isDeferred(returned.getClass())) {
			throw new IllegalStateException(this.method + " returned a " + returned.getClass().getName()
					+ ", which is not awaited; return a CompletionStage");
		}
		return null;
	}

	@Override
	public String toString() {
		return this.method.toString();
	}

}
