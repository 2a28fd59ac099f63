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

import io.delayqueue.store.FailureKind;
import io.delayqueue.store.Partition;
import io.delayqueue.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Lets messages that several threads bring to one partition at the same time go in one
 * call, which costs Redis far less than one call each. Safe for use by several threads.
 *
 * <p>
 * What becomes of a message:
 * <ol>
 * <li>while fewer than {@value #CALLS} calls are under way, its thread makes one at once:
 * nothing ever waits for others to come;</li>
 * <li>else it waits until one of them has ended, and goes with all that wait by
 * then;</li>
 * <li>each thread gets the answer to its own message; that Redis could not be reached is
 * told to all whose messages were in the call, and each decides for itself what to do.
 * After any other failure each goes alone, as it may be about one of them only.</li>
 * </ol>
 *
 * @param <T> the type of an answer
 */
final class CallCoalescer<T> {

	/** Enough that there is always one at Redis while another is on its way. */
	private static final int CALLS = 3;

	/** Each wake-up has one: how long nobody who is on its way looks for its answer. */
	private static final long BACKSTOP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int MOST_MESSAGES = 100;

	private static final int MOST_BYTES = 1 << 18;

	private final Function<List<OutgoingMessage>, List<T>> call;

	private final Map<Partition, Line> lines = new ConcurrentHashMap<>();

	/**
	 * Creates it.
	 * @param call sends messages of one partition, and says what became of each
	 */
	CallCoalescer(Function<List<OutgoingMessage>, List<T>> call) {
		this.call = call;
	}

	/**
	 * Sends a message, perhaps with others.
	 * @param message the message
	 * @param deadlineNanos until when it may wait in line, by {@link System#nanoTime}
	 * @return what became of it
	 * @throws StoreException if the call has failed; or if it was not made, because the
	 * one before has found that Redis is away, or the deadline has passed
	 */
	T send(OutgoingMessage message, long deadlineNanos) {
		return this.lines.computeIfAbsent(message.partition(), (partition) -> new Line()).send(message, deadlineNanos);
	}

	/** Those of one partition. */
	private final class Line {

		// guarded by this

		private final Deque<Waiting<T>> waiting = new ArrayDeque<>();

		private int underWay;

		T send(OutgoingMessage message, long deadlineNanos) {
			// It would end the call of all who go together
			boolean interrupted = Thread.interrupted();
			Waiting<T> own = new Waiting<>(message);
			join(own);
			while (own.isUnanswered()) {
				long left = deadlineNanos - System.nanoTime();
				if (own.isNext) {
					callUntilGone(own);
				}
				else if (left > 0 || !giveUp(own)) {
					LockSupport.parkNanos(this, (left > 0) ? Math.min(left, BACKSTOP_NANOS) : BACKSTOP_NANOS);
					interrupted |= Thread.interrupted();
				}
			}
			if (own.isNext) {
				// Another call has brought it meanwhile
				leave(own);
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
			return own.goesAlone ? CallCoalescer.this.call.apply(List.of(message)).get(0) : own.answer();
		}

		/** Only while it is in line: what is on its way will be answered. */
		private synchronized boolean giveUp(Waiting<T> own) {
			boolean gives = !own.isGone && !own.isNext;
			if (gives) {
				this.waiting.remove(own);
				own.isGone = true;
				own.fail(StoreException.notSent("too many others were to be sent before"));
			}
			return gives;
		}

		private synchronized void join(Waiting<T> own) {
			this.waiting.add(own);
			if (this.underWay < CALLS) {
				this.underWay++;
				own.isNext = true;
			}
		}

		/** Until its own message has gone, too; then another thread is next. */
		private void callUntilGone(Waiting<T> own) {
			try {
				for (List<Waiting<T>> batch = takeBatch(own); !batch.isEmpty(); batch = takeBatch(own)) {
					call(batch);
				}
			}
			finally {
				leave(own);
			}
		}

		private void call(List<Waiting<T>> batch) {
			try {
				List<T> answers = CallCoalescer.this.call.apply(batch.stream().map((one) -> one.message).toList());
				for (int i = 0; i < batch.size(); i++) {
					batch.get(i).answer(answers.get(i));
				}
			}
			catch (Throwable failure) {
				if (failure instanceof StoreException lost && lost.isRedisLost()) {
					// Those in line would find out one after the other
					takeAll().forEach((one) -> one.fail(lost.asNotExecuted()));
				}
				if (failure instanceof StoreException passing && passing.kind() != FailureKind.REFUSED) {
					batch.forEach((one) -> one.fail(passing));
				}
				else if (batch.size() > 1) {
					// Perhaps for one of them, or for what its thread was about
					batch.forEach(Waiting::goAlone);
				}
				else {
					batch.get(0).fail(failure);
				}
			}
		}

		/**
		 * In the order in which they came, and none whose id is in it already.
		 * @return empty if that message has gone
		 */
		private synchronized List<Waiting<T>> takeBatch(Waiting<T> own) {
			List<Waiting<T>> batch = new ArrayList<>(this.waiting.size());
			Set<String> ids = new HashSet<>();
			int bytes = 0;
			while (!own.isGone && !this.waiting.isEmpty() && batch.size() < MOST_MESSAGES) {
				Waiting<T> one = this.waiting.element();
				bytes += one.message.message().envelope().length;
				if (!batch.isEmpty() && (bytes > MOST_BYTES || ids.contains(one.message.id()))) {
					break;
				}
				ids.add(one.message.id());
				batch.add(this.waiting.remove());
			}
			batch.forEach((one) -> one.isGone = true);
			return batch;
		}

		private synchronized List<Waiting<T>> takeAll() {
			List<Waiting<T>> all = List.copyOf(this.waiting);
			all.forEach((one) -> one.isGone = true);
			this.waiting.clear();
			return all;
		}

		private synchronized void leave(Waiting<T> own) {
			own.isNext = false;
			if (!own.isGone) {
				// Its thread goes with an error, and would not take its turn
				this.waiting.remove(own);
			}
			Waiting<T> next = this.waiting.peek();
			if (next == null || next.isNext) {
				this.underWay--;
			}
			else {
				next.isNext = true;
				LockSupport.unpark(next.thread);
			}
		}

	}

	/** A message whose thread waits for the answer. */
	private static final class Waiting<T> {

		private final OutgoingMessage message;

		private final Thread thread = Thread.currentThread();

		/** Guarded by the line. */
		private boolean isGone;

		/** Has one of the calls. Set by the line, under its lock. */
		private volatile boolean isNext;

		private volatile @Nullable T answer;

		private volatile @Nullable Throwable failure;

		private volatile boolean goesAlone;

		Waiting(OutgoingMessage message) {
			this.message = message;
		}

		boolean isUnanswered() {
			return this.answer == null && this.failure == null && !this.goesAlone;
		}

		void answer(T given) {
			this.answer = given;
			wakeUp();
		}

		void fail(Throwable why) {
			this.failure = why;
			wakeUp();
		}

		void goAlone() {
			this.goesAlone = true;
			wakeUp();
		}

		/** Not oneself: the caller would not stop when it parks next. */
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
			Throwable why = this.failure;
			if (why instanceof RuntimeException exception) {
				throw exception;
			}
			if (why instanceof Error error) {
				throw error;
			}
			throw new IllegalStateException("A call has failed", why);
		}

	}

}
