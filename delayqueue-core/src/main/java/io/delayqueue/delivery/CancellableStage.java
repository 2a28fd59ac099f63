package io.delayqueue.delivery;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The completion of a stage that depends on the stage of a handler. A plain dependent
 * stage does not pass a cancellation on to the stage that it depends on.
 */
public final class CancellableStage extends CompletableFuture<Object> {

	private final CompletionStage<?> source;

	/**
	 * Creates the stage.
	 * @param dependent completes this stage
	 * @param source is cancelled together with this stage
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
