package io.delayqueue.schedule;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Combines messages that several threads send to one partition at the same time into one
 * call, which costs Redis far less than one call each. Safe for use by several threads.
 *
 * <p>
 * A message is sent in these steps:
 * <ol>
 * <li>while fewer than {@value #CALLS} calls are under way, the thread of the message
 * makes a call at once: no message ever waits for more messages to arrive;</li>
 * <li>otherwise the message waits until one of these calls has ended, and is sent
 * together with all messages that are waiting by then;</li>
 * <li>each thread gets the answer to its own message. If the call did not reach Redis,
 * every thread with a message in the call gets the failure and decides itself what to do.
 * After any other failure each message is sent alone, because the failure may concern
 * only one of them.</li>
 * </ol>
 *
 * @param <T> the type of an answer
 */
final class CallCoalescer<T> {

	/**
	 * The most calls of one partition at once: enough to keep Redis busy while another
	 * call is on the network.
	 */
	private static final int CALLS = 3;

	/** Upper bound between re-checks, in case an unpark is missed. */
	private static final long BACKSTOP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int MOST_MESSAGES = 100;

	private static final int MOST_BYTES = 1 << 18;

	private final Function<List<OutgoingMessage>, List<T>> call;

	private final Map<Partition, Line> lines = new ConcurrentHashMap<>();

	/**
	 * Creates the coalescer.
	 * @param call sends messages of one partition, and returns the answer to each
	 */
	CallCoalescer(Function<List<OutgoingMessage>, List<T>> call) {
		this.call = call;
	}

	/**
	 * Sends a message, possibly together with messages of other threads.
	 * @param message the message
	 * @param deadlineNanos the time until which the message may wait for running calls,
	 * by {@link System#nanoTime}
	 * @return the answer to the message
	 * @throws StoreException if the call has failed, or if the message was not sent
	 * because an earlier call could not reach Redis or the deadline has passed
	 */
	T send(OutgoingMessage message, long deadlineNanos) {
		return this.lines.computeIfAbsent(message.partition(), (partition) -> new Line()).send(message, deadlineNanos);
	}

	/** The waiting messages and the running calls of one partition. */
	private final class Line {

		// guarded by this

		private final Deque<Waiting<T>> waiting = new ArrayDeque<>();

		private int underWay;

		T send(OutgoingMessage message, long deadlineNanos) {
			// Clear an interrupt, which would end the call for the messages of other
			// threads
			boolean interrupted = Thread.interrupted();
			Waiting<T> own = new Waiting<>(message);
			enqueue(own);
			while (own.isUnanswered()) {
				long left = deadlineNanos - System.nanoTime();
				if (own.isCaller) {
					callUntilTaken(own);
				}
				else if (left > 0 || !giveUp(own)) {
					LockSupport.parkNanos(this, (left > 0) ? Math.min(left, BACKSTOP_NANOS) : BACKSTOP_NANOS);
					interrupted |= Thread.interrupted();
				}
			}
			if (own.isCaller) {
				// Another thread has sent this message, so this thread passes its turn to
				// call on
				endTurn(own);
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
			return own.isSentAlone ? CallCoalescer.this.call.apply(List.of(message)).get(0) : own.answer();
		}

		/**
		 * Gives up the message if it still waits; a message in a call will be answered.
		 */
		private synchronized boolean giveUp(Waiting<T> own) {
			boolean givesUp = !own.isTaken && !own.isCaller;
			if (givesUp) {
				this.waiting.remove(own);
				own.isTaken = true;
				own.fail(StoreException.notSent("the deadline passed while the message waited for earlier calls"));
			}
			return givesUp;
		}

		private synchronized void enqueue(Waiting<T> own) {
			this.waiting.add(own);
			if (this.underWay < CALLS) {
				this.underWay++;
				own.isCaller = true;
			}
		}

		/**
		 * Makes calls with waiting messages until the thread's own message has been sent.
		 */
		private void callUntilTaken(Waiting<T> own) {
			try {
				for (List<Waiting<T>> batch = takeBatch(own); !batch.isEmpty(); batch = takeBatch(own)) {
					call(batch);
				}
			}
			finally {
				endTurn(own);
			}
		}

		private void call(List<Waiting<T>> batch) {
			try {
				List<T> answers = CallCoalescer.this.call
					.apply(batch.stream().map((queued) -> queued.message).toList());
				for (int i = 0; i < batch.size(); i++) {
					batch.get(i).answer(answers.get(i));
				}
			}
			catch (Throwable failure) {
				if (failure instanceof StoreException lost && lost.isRedisLost()) {
					// Fail the messages in line now, instead of in one call after another
					takeAll().forEach((queued) -> queued.fail(lost.asNotExecuted()));
				}
				if (failure instanceof StoreException passing && passing.kind() != FailureKind.REFUSED) {
					batch.forEach((queued) -> queued.fail(passing));
				}
				else if (batch.size() > 1) {
					// The cause may be a single message, or the thread that made the call
					batch.forEach(Waiting::sendAlone);
				}
				else {
					batch.get(0).fail(failure);
				}
			}
		}

		/**
		 * Takes messages in the order of their arrival, up to the first one whose id is
		 * in the batch already.
		 * @return the messages to send together; empty if the given message was taken
		 * before
		 */
		private synchronized List<Waiting<T>> takeBatch(Waiting<T> own) {
			List<Waiting<T>> batch = new ArrayList<>(this.waiting.size());
			Set<String> ids = new HashSet<>();
			int bytes = 0;
			while (!own.isTaken && !this.waiting.isEmpty() && batch.size() < MOST_MESSAGES) {
				Waiting<T> queued = this.waiting.element();
				bytes += queued.message.message().envelope().length;
				if (!batch.isEmpty() && (bytes > MOST_BYTES || ids.contains(queued.message.id()))) {
					break;
				}
				ids.add(queued.message.id());
				batch.add(this.waiting.remove());
			}
			batch.forEach((queued) -> queued.isTaken = true);
			return batch;
		}

		private synchronized List<Waiting<T>> takeAll() {
			List<Waiting<T>> all = List.copyOf(this.waiting);
			all.forEach((queued) -> queued.isTaken = true);
			this.waiting.clear();
			return all;
		}

		private synchronized void endTurn(Waiting<T> own) {
			own.isCaller = false;
			if (!own.isTaken) {
				// This thread ends with an error, so it must not stay in line to make the
				// next call
				this.waiting.remove(own);
			}
			Waiting<T> next = this.waiting.peek();
			if (next == null || next.isCaller) {
				this.underWay--;
			}
			else {
				next.isCaller = true;
				LockSupport.unpark(next.thread);
			}
		}

	}

	/** A message whose thread waits for the answer. */
	private static final class Waiting<T> {

		private final OutgoingMessage message;

		private final Thread thread = Thread.currentThread();

		/**
		 * Whether the message has left the line, for a call or for good. Guarded by the
		 * line.
		 */
		private boolean isTaken;

		/** Whether the thread of this message makes a call. Set under the line's lock. */
		private volatile boolean isCaller;

		private volatile @Nullable T answer;

		private volatile @Nullable Throwable failure;

		private volatile boolean isSentAlone;

		Waiting(OutgoingMessage message) {
			this.message = message;
		}

		boolean isUnanswered() {
			return this.answer == null && this.failure == null && !this.isSentAlone;
		}

		void answer(T given) {
			this.answer = given;
			wakeUp();
		}

		void fail(Throwable cause) {
			this.failure = cause;
			wakeUp();
		}

		void sendAlone() {
			this.isSentAlone = true;
			wakeUp();
		}

		/**
		 * Wakes the waiting thread, except the current one, whose next park would return
		 * at once.
		 */
		private void wakeUp() {
			if (this.thread != Thread.currentThread()) {
				LockSupport.unpark(this.thread);
			}
		}

		T answer() {
			T given = this.answer;
			if (given != null) {
				return given;
			}
			Throwable cause = this.failure;
			if (cause instanceof RuntimeException exception) {
				throw exception;
			}
			if (cause instanceof Error error) {
				throw error;
			}
			throw new IllegalStateException("A call has failed", cause);
		}

	}

}
