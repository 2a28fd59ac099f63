package io.delayqueue.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.delayqueue.queue.Partition;
import org.junit.jupiter.api.AfterEach;

import static io.delayqueue.schedule.TestMessages.ANOTHER;
import static io.delayqueue.schedule.TestMessages.PARTITION;
import static io.delayqueue.schedule.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Each call is held until the test ends it.
 */
abstract class HeldCalls {

	static final Duration PATIENCE = Duration.ofMinutes(2);

	static final long FOREVER = System.nanoTime() + Duration.ofDays(1).toNanos();

	final BlockingQueue<Call> begun = new LinkedBlockingQueue<>();

	private final Queue<Call> held = new ConcurrentLinkedQueue<>();

	final Queue<Sending> sendings = new ConcurrentLinkedQueue<>();

	volatile boolean holdsNone;

	volatile Function<List<OutgoingMessage>, List<String>> calling = this::hold;

	final CallCoalescer<String> callCoalescer = new CallCoalescer<>((batch) -> this.calling.apply(batch));

	/** After each test, calls that have ended must not count as under way. */
	@AfterEach
	void verifyThatExactlyThreeCallsCanBeUnderWay() throws Exception {
		for (Partition partition : List.of(PARTITION, ANOTHER)) {
			endAll();
			threeCallsAreUnderWay(partition);
			waitInLine(message(partition, "fourth", 1));
			assertThat(this.begun).isEmpty();
		}
		endAll();
	}

	List<String> hold(List<OutgoingMessage> batch) {
		Call call = new Call(batch);
		this.held.add(call);
		if (this.holdsNone) {
			call.end();
		}
		else {
			this.begun.add(call);
		}
		return call.await();
	}

	Call nextCall() throws InterruptedException {
		Call call = this.begun.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(call).as("a call").isNotNull();
		return Objects.requireNonNull(call);
	}

	List<Call> threeCallsAreUnderWay() throws InterruptedException {
		return threeCallsAreUnderWay(PARTITION);
	}

	private List<Call> threeCallsAreUnderWay(Partition partition) throws InterruptedException {
		List<Call> calls = new ArrayList<>();
		for (String id : List.of("first", "second", "third")) {
			send(message(partition, id, 1));
			Call call = nextCall();
			assertThat(call.ids()).containsExactly(id);
			calls.add(call);
		}
		return calls;
	}

	/** Ends a call and those that follow, and returns the ids of each. */
	List<List<String>> idsOfCallsAfter(Call one, int count) throws InterruptedException {
		List<List<String>> ids = new ArrayList<>();
		Call last = one;
		for (int i = 0; i < count; i++) {
			last.end();
			last = nextCall();
			ids.add(last.ids());
		}
		return ids;
	}

	private void endAll() {
		this.holdsNone = true;
		until(() -> {
			this.held.forEach(Call::end);
			return this.sendings.stream().allMatch((sending) -> sending.answer.isDone());
		});
		this.held.clear();
		this.begun.clear();
		this.sendings.clear();
		this.holdsNone = false;
	}

	Sending send(OutgoingMessage message) {
		Sending sending = new Sending(this.callCoalescer, message);
		this.sendings.add(sending);
		return sending;
	}

	Sending waitInLine(OutgoingMessage message) {
		Sending sending = send(message);
		until(sending::isInLine);
		return sending;
	}

	static void until(BooleanSupplier reached) {
		await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(reached::getAsBoolean);
	}

	static Thread daemon(Runnable work) {
		Thread thread = new Thread(work);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	/** A call that is under way until the test ends it. */
	static final class Call {

		final List<OutgoingMessage> batch;

		final Thread thread = Thread.currentThread();

		final boolean beganInterrupted = this.thread.isInterrupted();

		private final CompletableFuture<Supplier<List<String>>> end = new CompletableFuture<>();

		Call(List<OutgoingMessage> batch) {
			this.batch = batch;
		}

		List<String> ids() {
			return this.batch.stream().map(OutgoingMessage::id).toList();
		}

		void end() {
			this.end.complete(() -> ids().stream().map((id) -> "answer to " + id).toList());
		}

		void fail(Throwable cause) {
			this.end.complete(() -> {
				if (cause instanceof Error error) {
					throw error;
				}
				throw (RuntimeException) cause;
			});
		}

		List<String> await() {
			return this.end.join().get();
		}

	}

	/** A thread that sends one message. */
	static final class Sending {

		final CompletableFuture<String> answer = new CompletableFuture<>();

		final Thread thread;

		volatile boolean endedInterrupted;

		Sending(CallCoalescer<String> callCoalescer, OutgoingMessage message) {
			this.thread = daemon(() -> {
				try {
					String received = callCoalescer.send(message, FOREVER);
					this.endedInterrupted = Thread.currentThread().isInterrupted();
					this.answer.complete(received);
				}
				catch (Throwable failure) {
					this.answer.completeExceptionally(failure);
				}
			});
		}

		/** Whether the thread waits in line and not in a call. */
		boolean isInLine() {
			Object blocker = LockSupport.getBlocker(this.thread);
			return this.thread.getState() == Thread.State.TIMED_WAITING && blocker != null
					&& blocker.getClass().getNestHost() == CallCoalescer.class;
		}

		Throwable failure() {
			ExecutionException failure = catchThrowableOfType(ExecutionException.class,
					() -> this.answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
			assertThat(failure).as("a failure").isNotNull();
			return Objects.requireNonNull(failure.getCause());
		}

	}

}
