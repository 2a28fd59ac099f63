package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

import io.delayqueue.outbox.OutboxStatus;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class KnownStatusTests {

	private static final Duration KEPT = Duration.ofSeconds(5);

	private static final Duration LONGEST = Duration.ofMinutes(1);

	private final AtomicInteger counts = new AtomicInteger();

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);

	/** A status whose number of pending rows is the number of the count. */
	private static OutboxStatus status(int number) {
		return new OutboxStatus(number, 0, Duration.ZERO);
	}

	private KnownStatus known(IntFunction<OutboxStatus> counting) {
		return new KnownStatus(() -> counting.apply(this.counts.incrementAndGet()), this.now::get);
	}

	private void pass(Duration time) {
		this.now.addAndGet(time.toNanos());
	}

	/** Gets the status in another thread. */
	private static CompletableFuture<OutboxStatus> begin(KnownStatus known) {
		return CompletableFuture.supplyAsync(known::get, (task) -> {
			Thread thread = new Thread(task);
			thread.setDaemon(true);
			thread.start();
		});
	}

	/** Gets the status in another thread, which waits for a count that is running. */
	private static CompletableFuture<OutboxStatus> beginWaiting(KnownStatus known) {
		CompletableFuture<OutboxStatus> status = new CompletableFuture<>();
		Thread waiting = new Thread(() -> status.complete(known.get()));
		waiting.setDaemon(true);
		waiting.start();
		await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
		return status;
	}

	@Test
	void aStatusIsKept() {
		KnownStatus known = known(KnownStatusTests::status);
		assertThat(known.get()).isEqualTo(status(1));
		pass(KEPT);
		assertThat(known.get()).isEqualTo(status(1));
		pass(Duration.ofNanos(1));
		assertThat(known.get()).isEqualTo(status(2));
		known.forget();
		assertThat(known.get()).isEqualTo(status(3));
	}

	@Test
	void aFailureIsKeptFromItsEnd() {
		KnownStatus known = known((number) -> {
			if (number == 1) {
				// The pool waits for a connection
				pass(KEPT.multipliedBy(6));
				throw new IllegalArgumentException("away");
			}
			return status(number);
		});
		for (int n = 0; n < 3; n++) {
			assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(known::get).withMessage("away");
		}
		assertThat(this.counts).hasValue(1);
		pass(KEPT.plusNanos(1));
		assertThat(known.get()).isEqualTo(status(2));
	}

	@Test
	void whileAThreadCountsOtherThreadsGetThePreviousResult() {
		CompletableFuture<OutboxStatus> answer = new CompletableFuture<>();
		KnownStatus known = known((number) -> (number == 2) ? answer.join() : status(number));
		known.get();
		pass(KEPT.plusNanos(1));
		CompletableFuture<OutboxStatus> counting = begin(known);
		await().until(() -> this.counts.get() == 2);
		CompletableFuture<OutboxStatus> other = begin(known);
		await().until(other::isDone);
		assertThat(other.join()).isEqualTo(status(1));
		answer.completeExceptionally(new IllegalStateException("away"));
		await().until(counting::isCompletedExceptionally);
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(known::get);
		assertThat(this.counts).hasValue(2);
	}

	@Test
	void withoutAPreviousResultOneThreadCountsForAll() {
		CompletableFuture<OutboxStatus> answer = new CompletableFuture<>();
		KnownStatus known = known((number) -> answer.join());
		CompletableFuture<OutboxStatus> first = begin(known);
		await().until(() -> this.counts.get() == 1);
		CompletableFuture<OutboxStatus> second = beginWaiting(known);
		answer.complete(status(7));
		assertThat(first.join()).isEqualTo(status(7));
		assertThat(second.join()).isEqualTo(status(7));
		assertThat(this.counts).hasValue(1);
	}

	@Test
	void aResultThatIsAMinuteOldIsNotUsedDuringACount() {
		CompletableFuture<OutboxStatus> answer = new CompletableFuture<>();
		KnownStatus known = known((number) -> (number == 2) ? answer.join() : status(number));
		known.get();
		pass(LONGEST);
		CompletableFuture<OutboxStatus> counting = begin(known);
		await().until(() -> this.counts.get() == 2);
		CompletableFuture<OutboxStatus> other = beginWaiting(known);
		answer.complete(status(2));
		assertThat(counting.join()).isEqualTo(status(2));
		assertThat(other.join()).isEqualTo(status(2));
	}

	@Test
	void aCountThatRunsForAMinuteIsReported() {
		CompletableFuture<OutboxStatus> answer = new CompletableFuture<>();
		KnownStatus known = known((number) -> (number == 2) ? answer.join() : status(number));
		known.get();
		pass(KEPT.plusNanos(1));
		CompletableFuture<OutboxStatus> counting = begin(known);
		await().until(() -> this.counts.get() == 2);
		pass(LONGEST.minus(KEPT).minusNanos(2));
		assertThat(known.get()).isEqualTo(status(1));

		pass(KEPT.plusNanos(2));

		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(known::get)
			.withMessageContaining("has not answered another thread for 60 s");
		known.forget();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(known::get);
		answer.complete(status(2));
		assertThat(counting.join()).isEqualTo(status(2));
		assertThat(known.get()).isEqualTo(status(3));
		assertThat(this.counts).hasValue(3);
	}

	@Test
	void withoutAPreviousResultThreadsWaitForAMinute() {
		CompletableFuture<OutboxStatus> answer = new CompletableFuture<>();
		KnownStatus known = known((number) -> answer.join());
		CompletableFuture<OutboxStatus> counting = begin(known);
		await().until(() -> this.counts.get() == 1);
		pass(LONGEST.minusMillis(1));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(known::get).withMessageContaining("60 s");
		answer.complete(status(1));
		counting.join();
	}

	@Test
	void afterAChangeDuringACountTheRowsAreCountedAgainAndOneThreadCounts() {
		CompletableFuture<OutboxStatus> first = new CompletableFuture<>();
		AtomicInteger running = new AtomicInteger();
		KnownStatus known = known((number) -> {
			assertThat(running.incrementAndGet()).isOne();
			try {
				return (number == 1) ? first.join() : status(number);
			}
			finally {
				running.decrementAndGet();
			}
		});
		CompletableFuture<OutboxStatus> counting = begin(known);
		await().until(() -> this.counts.get() == 1);
		known.forget();
		CompletableFuture<OutboxStatus> afterTheChange = beginWaiting(known);

		first.complete(status(1));

		assertThat(counting.join()).isEqualTo(status(1));
		assertThat(afterTheChange.join()).isEqualTo(status(2));
		assertThat(known.get()).isEqualTo(status(2));
	}

}
