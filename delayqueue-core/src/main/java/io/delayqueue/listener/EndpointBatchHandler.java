package io.delayqueue.listener;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.delayqueue.delivery.BatchHandler;
import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * Calls an annotated method with batches.
 */
final class EndpointBatchHandler implements BatchHandler {

	private final ListenerMethod method;

	EndpointBatchHandler(ListenerMethod method) {
		this.method = method;
	}

	@Override
	public Object read(Delivery delivery) {
		return this.method.resolveElement(new DeliveryMessage(delivery));
	}

	@Override
	public @Nullable CompletionStage<?> handle(List<Object> batch) throws Throwable {
		return this.method.call(Collections.unmodifiableList(batch));
	}

	@Override
	public String toString() {
		return this.method.toString();
	}

}
