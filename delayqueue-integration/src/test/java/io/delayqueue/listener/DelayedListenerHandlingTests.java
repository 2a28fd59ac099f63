package io.delayqueue.listener;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.messaging.converter.MessageConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The outcome that a handler returns to its consumer: failure, stage or success.
 */
@ExtendWith(OutputCaptureExtension.class)
class DelayedListenerHandlingTests {

	private ListenerApplication application;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.start(Listeners.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void exceptionsOfTheHandlerAreNotWrapped() {
		for (Throwable failure : new Throwable[] { new IllegalStateException("a"), new IOException("b"),
				new AssertionError("c"), new Throwable("d"), new MessageConversionException("e"),
				new InterruptedException("f") }) {
			this.application.bean(Listeners.class).failure = failure;
			assertThatExceptionOfType(Throwable.class)
				.isThrownBy(() -> this.application.deliver(TestDelivery.of("failing", "0")))
				.satisfies((thrown) -> assertThat(thrown).isSameAs(failure));
		}
	}

	@Test
	void interruptFlagIsPreserved() throws Throwable {
		Thread.currentThread().interrupt();
		try {
			this.application.deliver(TestDelivery.of("no-stage", "0"));
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void completionStageIsReturnedToTheConsumer() throws Throwable {
		assertThat(this.application.deliver(TestDelivery.of("stage", "0")))
			.isSameAs(this.application.bean(Listeners.class).stage);
		assertThat(this.application.deliver(TestDelivery.of("undeclared-stage", "\"stage\"")))
			.isSameAs(this.application.bean(Listeners.class).stage);
	}

	@Test
	void withoutAStageTheMessageIsHandledOnReturn() throws Throwable {
		assertThat(this.application.deliver(TestDelivery.of("no-stage", "0"))).isNull();
		assertThat(this.application.deliver(TestDelivery.of("undeclared-stage", "\"text\""))).isNull();
	}

	@Test
	void undeclaredReturnTypeThatIsNotAwaitedFails() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.application.deliver(TestDelivery.of("undeclared-stage", "\"mono\"")))
			.withMessageContaining("is not awaited");
	}

	@Test
	void ignoredReturnValueIsLoggedAtTheStart(CapturedOutput output) {
		ListenerApplication.start(ReturningListener.class).close();
		assertThat(output)
			.containsOnlyOnce("The return value of " + ReturningListener.class.getName() + ".on() is ignored")
			.doesNotContain("ReturningListener.nothing() is ignored");
	}

	static class Listeners {

		final CompletableFuture<Void> stage = new CompletableFuture<>();

		Throwable failure = new Throwable();

		@DelayedListener(queue = "failing")
		void failing(int payload) throws Throwable {
			throw this.failure;
		}

		@DelayedListener(queue = "stage")
		CompletionStage<Void> stage(int payload) {
			return this.stage;
		}

		@DelayedListener(queue = "no-stage")
		CompletableFuture<Void> noStage(int payload) {
			return null;
		}

		@DelayedListener(queue = "undeclared-stage")
		Object undeclared(String payload) {
			return switch (payload) {
				case "stage" -> this.stage;
				case "mono" -> Mono.empty();
				default -> payload;
			};
		}

	}

	static class ReturningListener {

		@DelayedListener(queue = "returning")
		boolean on() {
			return false;
		}

		@DelayedListener(queue = "nothing")
		void nothing() {
		}

	}

}
