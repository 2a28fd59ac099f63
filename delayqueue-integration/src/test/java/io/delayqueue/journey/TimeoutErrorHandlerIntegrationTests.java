package io.delayqueue.journey;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedMessage;
import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.MessageKey;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.TimedListeners;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Error handlers of listeners that exceed their timeouts.
 */
@Tag("slow")
class TimeoutErrorHandlerIntegrationTests extends TimedListeners {

	@ParameterizedTest
	@ValueSource(strings = { "rescued", "rescued-stages" })
	void errorHandlerDecidesOnTimeoutAndIgnoresInterruptedHandler(String queue) {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescued.class, Rescue.class);
		schedule(app, queue, "m", "wait");

		Listener listener = app.getBean(Listener.class);
		Awaitility.await()
			.until(() -> app.getBean(DelayQueueOperations.class).find(queue, "m").isEmpty()
					&& health(app).abandoned().isEmpty());
		assertThat(app.getBean(DelayQueueAdmin.class).deadLetter(MessageKey.of(queue, "m"))).isEmpty();
		assertThat(listener.failures).singleElement().isInstanceOf(HandlerTimeoutException.class);
	}

	/**
	 * An exception of the handler after the timeout is an ordinary failure, which the
	 * error handler has received already.
	 */
	@Test
	void errorHandlerSeesATimeoutThatTheListenerThrowsOnce() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescued.class, Rescue.class);
		schedule(app, "rescued", "m", "throw");

		Listener listener = app.getBean(Listener.class);
		Awaitility.await().until(() -> app.getBean(DelayQueueOperations.class).find("rescued", "m").isEmpty());
		assertThat(listener.failures).hasSize(1);
	}

	@Test
	void errorHandlerThatHangsTimesOutToo() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescued.class,
				HangingRescue.class);
		schedule(app, "rescued", "m", "wait");

		assertThat(awaitDeadLetter(app, "rescued", "m").reason()).isEqualTo("TIMED_OUT");
	}

	static class Rescue {

		@Bean
		DelayedListenerErrorHandler rescue(Listener listener) {
			return (message, failure) -> listener.failures.add(failure);
		}

	}

	static class HangingRescue {

		@Bean
		DelayedListenerErrorHandler rescue() {
			return (message, failure) -> new CountDownLatch(1).await();
		}

	}

	static class Rescued {

		private final Listener listener;

		Rescued(Listener listener) {
			this.listener = listener;
		}

		@DelayedListener(queue = "rescued", timeout = "1s", errorHandler = "rescue")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.listener.handleOf(message);
		}

		@DelayedListener(queue = "rescued-stages", timeout = "1s", errorHandler = "rescue")
		CompletionStage<?> handleLater(DelayedMessage<String> message) {
			return this.listener.stage;
		}

	}

}
