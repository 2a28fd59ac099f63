package io.delayqueue.delivery;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A future that a stage derived from the handler's stage completes, and whose
 * cancellation also cancels the handler's stage. A plain derived stage of the JDK does
 * not pass a cancellation on to its source.
 */
public final class CancellableStage extends CompletableFuture<Object> {

	private final CompletionStage<?> source;

	/**
	 * Creates the stage.
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
