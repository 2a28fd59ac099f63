package io.delayqueue.listener;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DeferException;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.MessageHandler;
import org.jspecify.annotations.Nullable;

/**
 * A handler whose failures are passed to an error handler.
 *
 * @param next the handler
 * @param errorHandler the error handler
 */
record RescuedMessageHandler(MessageHandler next, DelayedListenerErrorHandler errorHandler) implements MessageHandler {

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
		return (stage != null) ? stage.handle((ignored, failure) -> ended(delivery, failure)) : null;
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

	private void rescue(Delivery delivery, Throwable failure) throws Throwable {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof DeferException) {
			// Not a failure
			throw cause;
		}
		this.errorHandler.handle(ReceivedMessage.raw(delivery), cause);
	}

}
