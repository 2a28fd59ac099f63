package io.delayqueue.listener;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DeferException;
import io.delayqueue.UnreadableMessageException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What error handlers make of a failure.
 */
class DelayedListenerErrorHandlerTests extends SurroundedListeners {

	@Test
	void aNormalReturnOfTheErrorHandlerMeansThatTheMessageIsDone() throws Throwable {
		assertThat(deliver("rescued", "4711")).isNull();

		assertThat(this.told.failures).singleElement().isSameAs(this.told.failure);
		assertThat(this.told.payloads).containsExactly("4711");
		assertThat(this.told.messages.get(0)).satisfies((message) -> {
			assertThat(message.queue()).isEqualTo("rescued");
			assertThat(message.id()).isEqualTo("id-1");
			assertThat(message.attempt()).isEqualTo(1);
		});
	}

	@Test
	void whatTheErrorHandlerThrowsTakesThePlaceOfTheFailure() {
		assertThat(catchThrowable(() -> deliver("translated", "0"))).isSameAs(this.told.translation);
	}

	@Test
	void aMessageThatCannotBeConvertedReachesTheErrorHandlerAsItIs() throws Throwable {
		assertThat(deliver("rescued", "{no json")).isNull();

		assertThat(this.told.payloads).containsExactly("{no json");
		assertThat(this.told.failures).singleElement().isInstanceOf(UnreadableMessageException.class);
	}

	@Test
	void aSuccessIsNoMatterForTheErrorHandler() throws Throwable {
		this.told.failure = null;
		deliver("rescued", "0");
		CompletionStage<?> stage = deliver("rescued-stage", "0");
		this.told.stage.complete("done");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isCompleted();
		assertThat(this.told.failures).isEmpty();
	}

	@Test
	void aStageThatFailsIsRescuedToo() throws Throwable {
		CompletionStage<?> stage = deliver("rescued-stage", "0");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isNotDone();

		this.told.stage.completeExceptionally(new CompletionException(this.told.translation));

		assertThat(stage.toCompletableFuture()).isCompleted();
		assertThat(this.told.failures).containsExactly(this.told.translation);
	}

	@Test
	void aStageThatFailsMayFailOfSomethingElse() throws Throwable {
		CompletionStage<?> stage = deliver("translated-stage", "0");
		this.told.stage.completeExceptionally(this.told.failure);

		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isSameAs(this.told.translation);
	}

	@Test
	void aListenerThatDefersHasNotFailed() throws Throwable {
		DeferException defer = new DeferException(Duration.ofSeconds(1));
		this.told.failure = defer;
		assertThat(catchThrowable(() -> deliver("rescued", "0"))).isSameAs(defer);

		CompletionStage<?> stage = deliver("rescued-stage", "0");
		this.told.stage.completeExceptionally(defer);
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isSameAs(defer);
		assertThat(this.told.failures).isEmpty();
	}

}
