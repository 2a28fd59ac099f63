package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.RetrySettings;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a handler that has timed out is stopped, and how its thread is released and
 * replaced.
 */
class HandlerRunsTests {

	private static final RetrySettings RETRY = new RetrySettings(5, 3, 1000, 1, Duration.ofSeconds(1),
			BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final ConsumerState state = TestActors.state(HandlerInvokerTests.settings(RETRY).withConcurrency(2),
			new RedisGate(new TaskPool(), null));

	private final HandlerRuns runs = new HandlerRuns(this.state, 1, QueueObserver.NONE,
			(tasks, failure) -> this.events.add("undecided"));

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void threadIsReleasedBeforeAttemptFailsAndReplacedAfterwards() {
		HandlerRun run = begin("hung");
		awaitTimeout();
		assertThat(this.events).containsExactly("released", "failed", "replaced");
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		this.runs.ended(run, new InterruptedException());
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.events).hasSize(3);
	}

	@Test
	void stageThatHandlerReturnedIsCancelledAndItsThreadIsNeitherReplacedNorInterrupted() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		this.runs.run(List.of(HandlerInvokerTests.task("stage")), MessageSpan.NONE, () -> stage, false, this::failed);
		awaitTimeout();
		assertThat(this.events).containsExactly("failed");
		assertThat(stage).isCancelled();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.runs.areAnyAbandoned()).isFalse();
	}

	@Test
	void stageThatCannotBeCancelledStaysAbandoned() {
		CompletableFuture<String> stage = new CompletableFuture<>() {

			@Override
			public CompletableFuture<String> toCompletableFuture() {
				throw new UnsupportedOperationException();
			}

		};
		this.runs.run(List.of(HandlerInvokerTests.task("stage")), MessageSpan.NONE, () -> stage, false, this::failed);
		awaitTimeout();
		assertThat(this.events).containsExactly("failed");
		assertThat(this.runs.abandoned().runs()).singleElement()
			.satisfies((run) -> assertThat(run).contains("message 'stage'").contains("has not completed"));
	}

	@Test
	void stageThatHandlerReturnsAfterItsTimeoutIsCancelled() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		this.runs.run(List.of(HandlerInvokerTests.task("late")), MessageSpan.NONE, () -> {
			awaitTimeout();
			return stage;
		}, false, this::failed);
		assertThat(stage).isCancelled();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.events).containsExactly("released", "failed", "replaced");
	}

	@Test
	void threadOfEndedHandlerIsNeitherReleasedNorInterrupted() {
		HandlerRun run = begin("done");
		this.runs.ended(run, null);
		assertThat(run.letGo(this::letGo)).isNull();
		run.stop();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.events).containsExactly("handled");
	}

	@Test
	void callIsKeptWhileAsManyAreAbandonedAsMayBeAndFailsWhenItEnds() {
		begin("first");
		awaitTimeout();
		assertThat(this.runs.areTooManyAbandoned()).isFalse();
		Thread.interrupted();
		this.events.clear();

		HandlerRun second = begin("second");
		Awaitility.await().pollInSameThread().until(this::areTooMany);
		assertThat(this.events).as("no attempt fails").isEmpty();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(this.runs.abandoned().runs()).hasSize(1);

		this.runs.ended(second, null);
		assertThat(this.events).containsExactly("failed");
		assertThat(this.runs.areTooManyAbandoned()).isFalse();
	}

	@Test
	void callThatWasKeptIsAbandonedWhenAnotherOneHasEnded() {
		List<Long> wakeUps = new ArrayList<>();
		HandlerRun first = begin("first");
		awaitTimeout();
		Thread.interrupted();
		this.events.clear();
		begin("second");
		Awaitility.await().pollInSameThread().until(this::areTooMany);
		this.runs.connect(wakeUps::add, Runnable::run);

		this.runs.ended(first, null);
		assertThat(wakeUps).containsExactly(0L);
		awaitTimeout();
		assertThat(this.events).containsExactly("released", "failed", "replaced");
		assertThat(this.runs.areTooManyAbandoned()).isFalse();
	}

	/** The two race for the monitor of the call, whichever comes first. */
	@Test
	void interruptDoesNotOutliveTheCallThatItIsFor() throws Exception {
		ExecutorService stopper = Executors.newSingleThreadExecutor();
		try {
			CyclicBarrier together = new CyclicBarrier(2);
			for (int i = 0; i < 2000; i++) {
				HandlerRun run = new HandlerRun(List.of(HandlerInvokerTests.task("m")), this::failed, true);
				Future<?> stopped = stopper.submit(() -> {
					together.await();
					return run.stop();
				});
				together.await();
				run.leaveThread();
				boolean interrupted = Thread.currentThread().isInterrupted();
				stopped.get();
				assertThat(interrupted || Thread.currentThread().isInterrupted()).as("round " + i).isFalse();
			}
		}
		finally {
			stopper.shutdownNow();
		}
	}

	private HandlerRun begin(String id) {
		return this.runs.begin(List.of(HandlerInvokerTests.task(id)), this::failed, false);
	}

	private void failed(@Nullable Throwable failure) {
		this.events.add((failure instanceof HandlerTimeoutException) ? "failed" : "handled");
	}

	private void awaitTimeout() {
		Awaitility.await().pollInSameThread().until(() -> {
			this.runs.abandonOverdue(this::letGo);
			return !this.events.isEmpty();
		});
	}

	private boolean areTooMany() {
		this.runs.abandonOverdue(this::letGo);
		return this.runs.areTooManyAbandoned();
	}

	private @Nullable Runnable letGo(Thread thread) {
		this.events.add("released");
		return () -> this.events.add("replaced");
	}

}
