package io.delayqueue.listener;

import java.util.concurrent.CompletionStage;

import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.MessageHandler;
import org.jspecify.annotations.Nullable;

/**
 * A handler that is wrapped in an interceptor.
 *
 * @param next the handler
 * @param interceptor the interceptor
 */
record InterceptedMessageHandler(MessageHandler next,
		DelayedListenerInterceptor interceptor) implements MessageHandler {

	/**
	 * An interceptor that returns {@code null} acknowledges the message only if the stage
	 * of the listener has completed; else that stage counts.
	 */
	@Override
	public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
		Proceeding next = new Proceeding(this.next, delivery);
		CompletionStage<?> stage = this.interceptor.intercept(ReceivedMessage.raw(delivery), next);
		return (stage != null) ? stage : next.unfinished();
	}

	/**
	 * Confined to the thread of the delivery, unless the interceptor passes it to another
	 * thread.
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
