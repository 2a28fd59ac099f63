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
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;

/**
 * Combines messages that several threads send to one partition at the same time into one
 * call to Redis, which costs Redis far less than one call for each message. This class is
 * thread-safe.
 *
 * <p>
 * The coalescer sends a message in these steps:
 * <ol>
 * <li>while fewer than {@value #CALLS} calls to the partition are under way, the thread
 * of the message makes a call at once: no message waits for further messages to
 * arrive;</li>
 * <li>while {@value #CALLS} calls to the partition are under way, the message waits; when
 * one of these calls has ended, the next call sends the messages that wait at this
 * moment, at most {@value #MOST_MESSAGES} of them;</li>
 * <li>each thread gets the answer to its own message. If the call has failed for a reason
 * that may pass, such as a lost connection, every thread with a message in the call gets
 * the failure, and may send its message again. After any other failure each thread sends
 * its message alone, because the cause may be a single message.</li>
 * </ol>
 *
 * @param <T> the type of an answer
 */
final class CallCoalescer<T> {

	/**
	 * The most calls to one partition at the same time: enough to keep Redis busy while
	 * another call is on the network.
	 */
	private static final int CALLS = 3;

	/** The longest time that a waiting thread is parked, in case it misses an unpark. */
	private static final long BACKSTOP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int MOST_MESSAGES = 100;

	private static final int MOST_BYTES = 1 << 18;

	private final Function<List<OutgoingMessage>, List<T>> call;

	/** The lines of the partitions to which threads are sending messages now. */
	private final Map<Partition, Line> lines = new ConcurrentHashMap<>();

	/**
	 * Creates a coalescer of calls to Redis.
	 * @param call sends messages of one partition in one call, and returns one answer for
	 * each message
	 */
	CallCoalescer(Function<List<OutgoingMessage>, List<T>> call) {
		this.call = call;
	}

	/**
	 * Sends a message to its partition, possibly in one call with messages of other
	 * threads.
	 * @param message the message
	 * @param deadlineNanos the time until which the message may wait for earlier calls,
	 * by {@link System#nanoTime}
	 * @return the answer of the script about this message
	 * @throws StoreException if the call with the message has failed, or if the message
	 * was not sent because Redis did not answer an earlier call or the deadline has
	 * passed
	 */
	T send(OutgoingMessage message, long deadlineNanos) {
		Line line = this.lines.compute(message.partition(),
				(partition, used) -> ((used != null) ? used : new Line()).enter());
		try {
			return line.send(message, deadlineNanos);
		}
		finally {
			this.lines.computeIfPresent(message.partition(), (partition, used) -> used.leave());
		}
	}

	/**
	 * The messages that wait to be sent to one partition, and the number of running calls
	 * to it.
	 */
	private final class Line {

		// guarded by this

		private final Deque<WaitingMessage<T>> waiting = new ArrayDeque<>();

		private int underWay;

		/** The threads that use this line; guarded by the map of the lines. */
		private int users;

		Line enter() {
			this.users++;
			return this;
		}

		/** Returns {@code null} if no thread uses this line any more. */
		@Nullable Line leave() {
			return (--this.users > 0) ? this : null;
		}

		T send(OutgoingMessage message, long deadlineNanos) {
			// Clear the interrupt of this thread until its message is answered: an
			// interrupt would break a call that also sends messages of other threads
			boolean interrupted = Thread.interrupted();
			WaitingMessage<T> own = new WaitingMessage<>(message);
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
				// Another thread has sent the message of this thread, so this thread lets
				// the next waiting thread make a call
				endTurn(own);
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
			return own.isSentAlone() ? CallCoalescer.this.call.apply(List.of(message)).get(0) : own.answer();
		}

		/**
		 * Removes a message that still waits to be sent, and fails it. A message that is
		 * in a running call stays, because the call will answer it.
		 * @return whether the message was removed
		 */
		private synchronized boolean giveUp(WaitingMessage<T> own) {
			boolean givesUp = !own.isTaken && !own.isCaller;
			if (givesUp) {
				this.waiting.remove(own);
				own.isTaken = true;
				own.fail(StoreException.notSent("the deadline passed while the message waited for earlier calls"));
			}
			return givesUp;
		}

		private synchronized void enqueue(WaitingMessage<T> own) {
			this.waiting.add(own);
			if (this.underWay < CALLS) {
				this.underWay++;
				own.isCaller = true;
			}
		}

		/**
		 * Makes calls to Redis with waiting messages until the message of this thread has
		 * been sent.
		 */
		private void callUntilTaken(WaitingMessage<T> own) {
			try {
				for (List<WaitingMessage<T>> batch = takeBatch(own); !batch.isEmpty(); batch = takeBatch(own)) {
					call(batch);
				}
			}
			finally {
				endTurn(own);
			}
		}

		private void call(List<WaitingMessage<T>> batch) {
			try {
				List<T> answers = CallCoalescer.this.call
					.apply(batch.stream().map((queued) -> queued.message).toList());
				for (int i = 0; i < batch.size(); i++) {
					batch.get(i).answer(answers.get(i));
				}
			}
			catch (Throwable failure) {
				if (failure instanceof StoreException lost && lost.isRedisLost()) {
					// Fail all waiting messages at once: each further call to the
					// unreachable Redis would fail, too, after a timeout
					takeAll().forEach((queued) -> queued.fail(lost.asNotExecuted()));
				}
				if (failure instanceof StoreException passing && passing.kind() != FailureKind.REFUSED) {
					batch.forEach((queued) -> queued.fail(passing));
				}
				else if (batch.size() > 1) {
					// A single message of the call, or the thread that made the call, may
					// have caused the failure: each thread sends its message alone
					batch.forEach(WaitingMessage::sendAlone);
				}
				else {
					batch.get(0).fail(failure);
				}
			}
		}

		/**
		 * Takes waiting messages for one call, in the order of their arrival, and stops
		 * before a message whose id and group are already in the call.
		 * @return the messages to send in one call; empty if the message of this thread
		 * was taken for an earlier call
		 */
		private synchronized List<WaitingMessage<T>> takeBatch(WaitingMessage<T> own) {
			List<WaitingMessage<T>> batch = new ArrayList<>(this.waiting.size());
			Set<StoredId> ids = new HashSet<>();
			int bytes = 0;
			while (!own.isTaken && !this.waiting.isEmpty() && batch.size() < MOST_MESSAGES) {
				WaitingMessage<T> queued = this.waiting.element();
				bytes += queued.message.message().envelope().length;
				if (!batch.isEmpty() && (bytes > MOST_BYTES || ids.contains(queued.message.message().storedId()))) {
					break;
				}
				ids.add(queued.message.message().storedId());
				batch.add(this.waiting.remove());
			}
			batch.forEach((queued) -> queued.isTaken = true);
			return batch;
		}

		private synchronized List<WaitingMessage<T>> takeAll() {
			List<WaitingMessage<T>> all = List.copyOf(this.waiting);
			all.forEach((queued) -> queued.isTaken = true);
			this.waiting.clear();
			return all;
		}

		private synchronized void endTurn(WaitingMessage<T> own) {
			own.isCaller = false;
			if (!own.isTaken) {
				// An error has ended the turn of this thread before its own message was
				// sent. Remove the message: this thread makes no further call, and no
				// thread waits for the answer
				this.waiting.remove(own);
			}
			WaitingMessage<T> next = this.waiting.peek();
			if (next == null || next.isCaller) {
				this.underWay--;
			}
			else {
				next.isCaller = true;
				LockSupport.unpark(next.thread);
			}
		}

	}

}
