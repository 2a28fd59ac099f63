package io.delayqueue.journey;

import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.RetryAfterException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.ListeningApplication;
import io.delayqueue.journey.fixture.Started;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that fail.
 */
@Tag("slow")
class ResilienceIntegrationTests extends ListeningApplication {

	static class Failing {

		final Handled handled = new Handled();

		@DelayedListener(queue = "throws")
		void fail(DelayedMessage<String> message) {
			this.handled.add(message);
			throw new IllegalStateException("attempt " + message.attempt());
		}

		@DelayedListener(queue = "never")
		void never(DelayedMessage<String> message) {
			this.handled.add(message);
			throw new UncheckedIOException(new FileNotFoundException("gone"));
		}

		@DelayedListener(queue = "defers")
		void defer(DelayedMessage<String> message) {
			this.handled.add(message);
			throw new DeferException(Duration.ofMillis(50));
		}

		@DelayedListener(queue = "names")
		void names(DelayedMessage<String> message) {
			this.handled.add(message);
			if (message.attempt() == 1) {
				throw new RetryAfterException(Duration.ofMillis(700), "busy");
			}
		}

		@DelayedListener(queue = "overflows")
		void overflow(DelayedMessage<String> message) {
			this.handled.add(message);
			if (message.payload().equals("memory")) {
				throw new OutOfMemoryError("Java heap space");
			}
			throw new StackOverflowError("deep");
		}

	}

	@Test
	@DisplayName("row 16: a message that always fails is retried with back-off, and dead-lettered with its reason")
	void failingMessageIsRetriedWithBackOffAndThenDeadLettered() {
		this.applications.with("delayqueue.queues.throws.max-attempts=4");
		Started<Failing> app = start(Failing.class);

		app.schedule("throws", "m");

		MessageSnapshot dead = app.awaitState("throws", "m", MessageState.DEAD);
		List<Handled.Run> runs = app.bean().handled.runs();
		assertThat(runs).extracting(Handled.Run::attempt).containsExactly(1, 2, 3, 4);
		assertThat(between(runs.get(0), runs.get(1))).isGreaterThanOrEqualTo(Duration.ofMillis(100));
		assertThat(between(runs.get(1), runs.get(2))).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		assertThat(between(runs.get(2), runs.get(3))).isGreaterThanOrEqualTo(Duration.ofMillis(400));
		assertThat(dead.attempts()).isEqualTo(4);
		assertThat(dead.lastFailure()).contains("HANDLER_FAILED", "attempt 4");
	}

	@Test
	void nonRetryableExceptionOrSubclassDeadLettersAtOnce() {
		this.applications
			.with("delayqueue.queues.never.never-retried=java.lang.IllegalStateException,java.io.UncheckedIOException");
		Started<Failing> app = start(Failing.class);

		app.schedule("never", "m");

		assertThat(app.awaitState("never", "m", MessageState.DEAD).lastFailure()).contains("NEVER_RETRIED");
		assertThat(app.bean().handled.runs()).hasSize(1);
	}

	@Test
	void deferredMessageIsRedeliveredWithoutAFailureUntilItsBound() {
		this.applications.with("delayqueue.queues.defers.max-defers=3");
		Started<Failing> app = start(Failing.class);

		app.schedule("defers", "m");

		MessageSnapshot dead = app.awaitState("defers", "m", MessageState.DEAD);
		assertThat(app.bean().handled.runs()).extracting(Handled.Run::attempt).containsExactly(1, 1, 1, 1);
		assertThat(dead.lastFailure()).contains("DEFERRED_TOO_OFTEN");
	}

	@Test
	void exceptionMaySetTheNextDueTime() {
		Started<Failing> app = start(Failing.class);

		app.schedule("names", "m");

		List<Handled.Run> runs = app.bean().handled.await(2);
		assertThat(between(runs.get(0), runs.get(1))).isGreaterThanOrEqualTo(Duration.ofMillis(700));
		assertThat(runs.get(1).attempt()).isEqualTo(2);
	}

	@Test
	@DisplayName("row 18: an Error is a failure like any other, and the loops continue")
	void errorIsAFailureLikeAnyOtherAndTheLoopsContinue() {
		this.applications.with("delayqueue.queues.overflows.max-attempts=2");
		Started<Failing> app = start(Failing.class);

		app.schedule("overflows", "m");

		assertThat(app.awaitState("overflows", "m", MessageState.DEAD).lastFailure()).contains("StackOverflowError");
		app.queue().schedule(ScheduleRequest.to("overflows").payload("memory").id("n").delay(Duration.ZERO));
		assertThat(app.awaitState("overflows", "n", MessageState.DEAD).lastFailure()).contains("OutOfMemoryError");
		app.schedule("overflows", "o");
		app.awaitState("overflows", "o", MessageState.DEAD);
	}

	static class Odd {

		final Handled handled = new Handled();

		static class Unspeakable extends RuntimeException {

			private static final long serialVersionUID = 1L;

			@Override
			public String getMessage() {
				throw new IllegalStateException("no message");
			}

		}

		@DelayedListener(queue = "odd", concurrency = "1")
		void handle(DelayedMessage<String> message) {
			this.handled.add(message);
			throw new Unspeakable();
		}

	}

	@Test
	void exceptionWhoseMessageThrowsCostsNeitherPermitNorWorker() {
		Started<Odd> app = start(Odd.class);

		app.schedule("odd", "m");
		app.schedule("odd", "n");

		assertThat(app.awaitState("odd", "m", MessageState.DEAD).lastFailure()).contains("Unspeakable");
		app.awaitState("odd", "n", MessageState.DEAD);
	}

	@Test
	void concurrencyLargerThanOneReadIsFilledBySeveralReads() {
		this.applications.with("delayqueue.queues.names.concurrency=10000");
		DelayQueueOperations producer = this.applications.producer();
		List<ScheduleRequest> requests = IntStream.range(0, 3000)
			.mapToObj((i) -> ScheduleRequest.to("names").payload("p").id("m-" + i).delay(Duration.ZERO))
			.toList();
		producer.scheduleAll(requests);

		Started<Failing> app = start(Failing.class);

		assertThat(app.bean().handled.await(6000)).extracting(Handled.Run::id).hasSize(6000);
	}

	private static Duration between(Handled.Run one, Handled.Run next) {
		return Duration.between(one.at(), next.at());
	}

}
