package io.delayqueue.delivery;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A future that completes together with a stage that was derived from the
 * {@link CompletionStage} of a handler. Cancelling this future also cancels the handler's
 * stage. In the JDK, cancelling a derived stage does not cancel the stage from which it
 * was derived.
 */
public final class CancellableStage extends CompletableFuture<Object> {

	private final CompletionStage<?> source;

	/**
	 * Creates the future.
	 * @param dependent the derived stage, whose result or failure completes this future
	 * @param source the handler's stage, which is cancelled together with this future
	 */
	public CancellableStage(CompletionStage<?> dependent, CompletionStage<?> source) {
		this.source = source;
		dependent.whenComplete((result, failure) -> {
			if (failure != null) {
				completeExceptionally(failure);
			}
			else {
				complete(result);
			}
		});
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		HandlerRun.cancel(this.source);
		return super.cancel(mayInterruptIfRunning);
	}

}
