package io.delayqueue.listener;

import java.util.concurrent.CompletionStage;

import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.MessageHandler;
import org.jspecify.annotations.Nullable;

/**
 * Calls an annotated method with deliveries.
 */
final class EndpointMessageHandler implements MessageHandler {

	private final ListenerMethod method;

	EndpointMessageHandler(ListenerMethod method) {
		this.method = method;
	}

	@Override
	public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
		return this.method.call(this.method.resolveArguments(new DeliveryMessage(delivery)));
	}

	@Override
	public String toString() {
		return this.method.toString();
	}

}
