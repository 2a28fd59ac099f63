package io.delayqueue.schedule;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.junit.jupiter.api.Test;

import static io.delayqueue.schedule.TestMessages.ANOTHER;
import static io.delayqueue.schedule.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Which messages share a call, which thread makes it, and which threads wait.
 */
class CallCoalescerTests extends HeldCalls {

	private static final int KB = 1024;

	@Test
	void singleThreadSendsItsMessageAtOnce() throws Exception {
		Sending sending = send(message("a"));

		Call call = nextCall();

		assertThat(call.ids()).containsExactly("a");
		assertThat(call.thread).isSameAs(sending.thread);
		call.end();
		assertThat(sending.answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
	}

	@Test
	void whileThreeCallsAreUnderWayMessagesWaitAndShareCallInOrderOfArrival() throws Exception {
		List<Call> calls = threeCallsAreUnderWay();
		List<Sending> waiting = List.of(waitInLine(message("a")), waitInLine(message("b")), waitInLine(message("c")));
		assertThat(this.begun).isEmpty();

		calls.get(1).end();

		Call together = nextCall();
		assertThat(together.ids()).containsExactly("a", "b", "c");
		assertThat(together.thread).as("the thread that came first").isSameAs(waiting.get(0).thread);
		together.end();
		assertThat(waiting.get(0).answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
		assertThat(waiting.get(1).answer).succeedsWithin(PATIENCE).isEqualTo("answer to b");
		assertThat(waiting.get(2).answer).succeedsWithin(PATIENCE).isEqualTo("answer to c");
	}

	@Test
	void callContainsEachIdOnlyOnce() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		for (String id : List.of("a", "b", "a", "c", "a")) {
			waitInLine(message(id));
		}

		assertThat(idsOfCallsAfter(one, 3)).containsExactly(List.of("a", "b"), List.of("a", "c"), List.of("a"));
	}

	@Test
	void callHasAtMost100Messages() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		for (int i = 0; i < 101; i++) {
			waitInLine(message("id" + i));
		}

		assertThat(idsOfCallsAfter(one, 2))
			.containsExactly(IntStream.range(0, 100).mapToObj((number) -> "id" + number).toList(), List.of("id100"));
	}

	@Test
	void callHasAtMost256KilobytesUnlessOneMessageIsLarger() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		waitInLine(message("a", 128 * KB));
		waitInLine(message("b", 128 * KB));
		waitInLine(message("c", 1));
		waitInLine(message("larger", 256 * KB + 1));
		waitInLine(message("d", 256 * KB));
		waitInLine(message("e", 1));

		assertThat(idsOfCallsAfter(one, 5)).containsExactly(List.of("a", "b"), List.of("c"), List.of("larger"),
				List.of("d"), List.of("e"));
	}

	@Test
	void messageIsNotSentWhenItsDeadlinePassesInLine() throws Exception {
		threeCallsAreUnderWay();

		StoreException late = catchThrowableOfType(StoreException.class,
				() -> this.callCoalescer.send(message("late"), System.nanoTime()));

		assertThat(late.kind()).isEqualTo(FailureKind.NOT_EXECUTED);
		assertThat(late.isRedisLost()).as("other callers may continue").isFalse();
		assertThat(this.begun).isEmpty();
	}

	@Test
	void partitionsDoNotWaitForEachOther() throws Exception {
		threeCallsAreUnderWay();
		waitInLine(message("a"));

		Sending sending = send(message(ANOTHER, "a", 1));

		Call call = nextCall();
		assertThat(call.batch).extracting(OutgoingMessage::partition).containsExactly(ANOTHER);
		call.end();
		assertThat(sending.answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
	}

	@Test
	void threadInterruptedWhileWaitingGetsItsAnswerAndStaysInterrupted() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		Sending caller = waitInLine(message("a"));
		Sending interrupted = waitInLine(message("b"));

		interrupted.thread.interrupt();
		until(() -> !interrupted.thread.isInterrupted() && interrupted.isInLine());
		one.end();
		nextCall().end();

		assertThat(interrupted.answer).succeedsWithin(PATIENCE).isEqualTo("answer to b");
		assertThat(interrupted.endedInterrupted).isTrue();
		assertThat(caller.answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
		assertThat(caller.endedInterrupted).isFalse();
	}

	@Test
	void threadInterruptedWhileWaitingMakesItsCallAndStaysInterrupted() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		Sending interrupted = waitInLine(message("a"));

		interrupted.thread.interrupt();
		until(() -> !interrupted.thread.isInterrupted() && interrupted.isInLine());
		one.end();
		Call call = nextCall();

		assertThat(call.thread).isSameAs(interrupted.thread);
		assertThat(call.beganInterrupted).isFalse();
		call.end();
		assertThat(interrupted.answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
		assertThat(interrupted.endedInterrupted).isTrue();
	}

	/** A leftover permit of an unpark would end the next park at once. */
	@Test
	void threadCanParkAfterItsCall() throws Exception {
		this.holdsNone = true;
		Object stop = new Object();
		Thread thread = daemon(() -> {
			this.callCoalescer.send(message("a"), FOREVER);
			LockSupport.park(stop);
		});

		until(() -> thread.getState() == Thread.State.WAITING && LockSupport.getBlocker(thread) == stop);

		LockSupport.unpark(thread);
		thread.join(PATIENCE.toMillis());
		assertThat(thread.isAlive()).isFalse();
	}

}
