package io.delayqueue.schedule;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A message that a {@link CallCoalescer} sends, and whose thread waits for the answer of
 * Redis.
 *
 * @param <T> the type of an answer
 */
final class WaitingMessage<T> {

	final OutgoingMessage message;

	final Thread thread = Thread.currentThread();

	/**
	 * Whether the message waits no longer, because a call sends it or because it was
	 * given up. Guarded by the lock of the coalescer's {@code Line} that contains the
	 * message.
	 */
	boolean isTaken;

	/**
	 * Whether the thread of this message makes calls for the waiting messages. Set under
	 * the lock of the coalescer's {@code Line} that contains the message.
	 */
	volatile boolean isCaller;

	private volatile @Nullable T answer;

	private volatile @Nullable Throwable failure;

	private volatile boolean isSentAlone;

	WaitingMessage(OutgoingMessage message) {
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

	boolean isSentAlone() {
		return this.isSentAlone;
	}

	void sendAlone() {
		this.isSentAlone = true;
		wakeUp();
	}

	/**
	 * Wakes the thread that waits for the answer to this message. If this thread is the
	 * current one, the method does nothing, because an unpark would end the next park of
	 * the thread at once.
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
		throw new IllegalStateException("The call with this message has failed", cause);
	}

}
