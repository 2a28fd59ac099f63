package io.delayqueue.listener;

import java.util.concurrent.CompletionStage;

import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.MessageHandler;
import org.jspecify.annotations.Nullable;

/**
 * A handler with an interceptor around it.
 *
 * @param next the handler
 * @param interceptor the interceptor
 */
record InterceptedMessageHandler(MessageHandler next,
		DelayedListenerInterceptor interceptor) implements MessageHandler {

	@Override
	public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
		return this.interceptor.intercept(ReceivedMessage.raw(delivery), () -> this.next.handle(delivery));
	}

}
