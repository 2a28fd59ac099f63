package io.delayqueue.listener;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.delayqueue.DeferException;
import io.delayqueue.HoldException;
import io.delayqueue.UnreadableMessageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Error handlers and the outcome of a failure.
 */
class DelayedListenerErrorHandlerTests extends SurroundedListeners {

	@Test
	void normalReturnOfTheErrorHandlerAcknowledgesTheMessage() throws Throwable {
		assertThat(deliver("rescued", "4711")).isNull();

		assertThat(this.recorded.failures).singleElement().isSameAs(this.recorded.failure);
		assertThat(this.recorded.payloads).containsExactly("4711");
		assertThat(this.recorded.messages.get(0)).satisfies((message) -> {
			assertThat(message.queue()).isEqualTo("rescued");
			assertThat(message.id()).isEqualTo("id-1");
			assertThat(message.attempt()).isEqualTo(1);
		});
	}

	@Test
	void exceptionOfTheErrorHandlerReplacesTheFailure() {
		assertThat(catchThrowable(() -> deliver("translated", "0"))).isSameAs(this.recorded.translation);
	}

	@Test
	void errorHandlerReceivesUnreadableMessageWithItsRawPayload() throws Throwable {
		assertThat(deliver("rescued", "{no json")).isNull();

		assertThat(this.recorded.payloads).containsExactly("{no json");
		assertThat(this.recorded.failures).singleElement().isInstanceOf(UnreadableMessageException.class);
	}

	@Test
	void errorHandlerIsNotCalledOnSuccess() throws Throwable {
		this.recorded.failure = null;
		deliver("rescued", "0");
		CompletionStage<?> stage = deliver("rescued-stage", "0");
		this.recorded.stage.complete("done");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isCompleted();
		assertThat(this.recorded.failures).isEmpty();
	}

	@Test
	void errorHandlerIsCalledForAFailedStage() throws Throwable {
		CompletionStage<?> stage = deliver("rescued-stage", "0");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isNotDone();

		this.recorded.stage.completeExceptionally(new CompletionException(this.recorded.translation));

		assertThat(stage.toCompletableFuture()).isCompleted();
		assertThat(this.recorded.failures).containsExactly(this.recorded.translation);
	}

	@Test
	void exceptionOfTheErrorHandlerReplacesTheFailureOfAStage() throws Throwable {
		CompletionStage<?> stage = deliver("translated-stage", "0");
		this.recorded.stage.completeExceptionally(this.recorded.failure);

		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isSameAs(this.recorded.translation);
	}

	@ParameterizedTest
	@MethodSource("deferrals")
	void errorHandlerIsNotCalledForADeferOrAHold(RuntimeException defer) throws Throwable {
		this.recorded.failure = defer;
		assertThat(catchThrowable(() -> deliver("rescued", "0"))).isSameAs(defer);

		CompletionStage<?> stage = deliver("rescued-stage", "0");
		this.recorded.stage.completeExceptionally(defer);
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isSameAs(defer);
		assertThat(this.recorded.failures).isEmpty();
	}

	static Stream<RuntimeException> deferrals() {
		return Stream.of(new DeferException(Duration.ofSeconds(1)), HoldException.queue(Duration.ofSeconds(1), "busy"));
	}

}
