package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.RetrySettings;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the thread of an abandoned handler is released and replaced.
 */
class HandlerRunsTests {

	private static final RetrySettings RETRY = new RetrySettings(5, 3, 1000, 1, Duration.ofSeconds(1),
			BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());

	private final List<String> events = new ArrayList<>();

	private final HandlerRuns runs = new HandlerRuns(
			TestActors.state(HandlerInvokerTests.settings(RETRY), new RedisGate(null)), 1, QueueObserver.NONE,
			(tasks, failure) -> this.events.add("undecided"));

	@Test
	void threadIsReleasedBeforeAttemptFailsAndReplacedAfterwards() {
		this.runs.begin(List.of(HandlerInvokerTests.task("hung")), (failure) -> this.events.add("failed"));
		Awaitility.await().pollInSameThread().until(this::abandonOverdue);
		assertThat(this.events).containsExactly("released", "failed", "replaced");
	}

	@Test
	void threadThatHandlerGaveBackIsNotReplaced() {
		HandlerRuns.Run run = this.runs.begin(List.of(HandlerInvokerTests.task("stage")),
				(failure) -> this.events.add("failed"));
		run.leaveThread();
		Awaitility.await().pollInSameThread().until(this::abandonOverdue);
		assertThat(this.events).containsExactly("failed");
	}

	@Test
	void threadOfEndedHandlerIsNotReleased() {
		HandlerRuns.Run run = this.runs.begin(List.of(HandlerInvokerTests.task("done")),
				(failure) -> this.events.add("handled"));
		run.ended(null);
		assertThat(run.letGo(this::letGo)).isNull();
		assertThat(this.events).containsExactly("handled");
	}

	@Test
	void moreAbandonedThreadsThanConcurrencyAreTooManyWithFewMessages() {
		this.runs.begin(List.of(HandlerInvokerTests.task("a")), (failure) -> this.events.add("failed"));
		Awaitility.await().pollInSameThread().until(this::abandonOverdue);
		assertThat(this.runs.areTooManyAbandoned()).isFalse();
		this.events.clear();
		HandlerRuns.Run run = this.runs.begin(List.of(HandlerInvokerTests.task("b")),
				(failure) -> this.events.add("failed"));
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
		this.events.add("released");
		return () -> this.events.add("replaced");
	}

}
