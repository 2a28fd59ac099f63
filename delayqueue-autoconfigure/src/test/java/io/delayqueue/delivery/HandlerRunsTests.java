package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.RetrySettings;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of the thread of a handler that is abandoned.
 */
class HandlerRunsTests {

	private static final RetrySettings RETRY = new RetrySettings(5, 3, 1000, 1, Duration.ofSeconds(1),
			BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());

	private final List<String> events = new ArrayList<>();

	private final HandlerRuns runs = new HandlerRuns(HandlingTests.settings(RETRY), 1, QueueObserver.NONE,
			(tasks, failure) -> this.events.add("undecided"), () -> {
			}, () -> {
			});

	@Test
	void theThreadIsLetGoBeforeItsHandlerIsFoundAbandonedAndReplacedOnceItsAttemptHasFailed() {
		this.runs.begin(List.of(HandlingTests.task("hung")), (failure) -> this.events.add("failed"));
		Awaitility.await().pollInSameThread().until(this::abandonOverdue);
		assertThat(this.events).containsExactly("let go", "failed", "replaced");
	}

	@Test
	void theThreadThatAHandlerHasGivenBackIsNotReplaced() {
		HandlerRun run = this.runs.begin(List.of(HandlingTests.task("stage")), (failure) -> this.events.add("failed"));
		run.leaveThread();
		Awaitility.await().pollInSameThread().until(this::abandonOverdue);
		assertThat(this.events).containsExactly("failed");
	}

	@Test
	void theThreadOfAHandlerThatHasReturnedIsNotLetGo() {
		HandlerRun run = this.runs.begin(List.of(HandlingTests.task("done")), (failure) -> this.events.add("handled"));
		run.ended(null);
		assertThat(run.letGo(this::letGo)).isNull();
		assertThat(this.events).containsExactly("handled");
	}

	@Test
	void moreThreadsThanHandlersRunAtOnceAreTooManyEvenIfTheirMessagesAreFew() {
		this.runs.begin(List.of(HandlingTests.task("a")), (failure) -> this.events.add("failed"));
		Awaitility.await().pollInSameThread().until(this::abandonOverdue);
		assertThat(this.runs.areTooManyAbandoned()).isFalse();
		this.events.clear();
		HandlerRun run = this.runs.begin(List.of(HandlingTests.task("b")), (failure) -> this.events.add("failed"));
		Awaitility.await().pollInSameThread().until(this::abandonOverdue);
		assertThat(this.runs.areTooManyAbandoned()).isTrue();
		run.ended(null);
		assertThat(this.runs.areTooManyAbandoned()).isFalse();
	}

	private boolean abandonOverdue() {
		this.runs.abandonOverdue(this::letGo);
		return !this.events.isEmpty();
	}

	private @Nullable Runnable letGo(Thread thread) {
		this.events.add("let go");
		return () -> this.events.add("replaced");
	}

}
