package io.delayqueue.delivery;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CancellableStageTests {

	private final CompletableFuture<String> source = new CompletableFuture<>();

	private final CancellableStage stage = new CancellableStage(this.source.thenApply(String::length), this.source);

	@Test
	void completesAsItsDependentStage() {
		this.source.complete("four");
		assertThat(this.stage).isCompletedWithValue(4);
	}

	@Test
	void failsAsItsDependentStage() {
		this.source.completeExceptionally(new IllegalStateException("as planned"));
		assertThat(this.stage).isCompletedExceptionally();
		assertThat(MessageHandler.causeOf(this.stage.handle((value, failure) -> failure).join()))
			.hasMessage("as planned");
	}

	@Test
	void cancelsItsSource() {
		assertThat(this.stage.cancel(true)).isFalse();
		assertThat(this.source).isCancelled();
		assertThat(MessageHandler.causeOf(this.stage.handle((value, failure) -> failure).join()))
			.isInstanceOf(CancellationException.class);
	}

}
