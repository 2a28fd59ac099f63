package io.delayqueue.schedule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.delayqueue.DelayQueueException;
import io.delayqueue.ScheduleAfterCommitException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.redis.CallRetry;
import io.delayqueue.store.RetryingCalls;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The messages that one transaction schedules after its commit.
 * <ol>
 * <li>If a part of the transaction is rolled back to a savepoint, its messages are
 * dropped;</li>
 * <li>after the commit, and after the {@code afterCommit} callbacks of the application,
 * all messages are sent, and then an exception is thrown if messages have failed;</li>
 * <li>when the transaction has completed, the messages that were not sent before are
 * sent: a callback of the application has thrown an exception, or has added the messages
 * when the commit was over. Spring passes no exception to the caller any more, so
 * failures are logged. If it is unknown whether the transaction has committed, a warning
 * names the messages, which are not sent.</li>
 * </ol>
 */
final class AfterCommit implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(AfterCommit.class);

	private final Sender sender;

	private final RetryingCalls retryingCalls;

	private final List<Waiting> waiting = new ArrayList<>();

	private final Map<Object, Integer> savepoints = new HashMap<>();

	/** Whether a later callback of this transaction sends the messages. */
	private boolean isFollowed;

	private AfterCommit(Sender sender, RetryingCalls retryingCalls) {
		this.sender = sender;
		this.retryingCalls = retryingCalls;
	}

	/** Returns the messages of the current transaction that one sender will send. */
	static AfterCommit of(Sender sender, RetryingCalls retryingCalls) {
		for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
			if (synchronization instanceof AfterCommit known && known.sender == sender) {
				return known;
			}
		}
		AfterCommit first = new AfterCommit(sender, retryingCalls);
		TransactionSynchronizationManager.registerSynchronization(first);
		return first;
	}

	/** A message that waits for the end of the transaction. */
	private record Waiting(OutgoingMessage message, MessageSpan span) {
	}

	/**
	 * Adds a message.
	 * @param message the message
	 * @param span the tracing span of the message, which ends when the message is sent or
	 * dropped
	 */
	void add(OutgoingMessage message, MessageSpan span) {
		this.waiting.add(new Waiting(message, span));
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, this.waiting.size());
	}

	@Override
	public void savepointRollback(Object savepoint) {
		// An unknown savepoint is older than the first message
		int size = this.waiting.size();
		int kept = Math.min(size, this.savepoints.getOrDefault(savepoint, 0));
		List<Waiting> dropped = this.waiting.subList(kept, size);
		dropped.forEach((message) -> message.span().end());
		dropped.clear();
	}

	@Override
	public void beforeCompletion() {
		this.isFollowed = TransactionSynchronizationManager.isSynchronizationActive();
		if (this.isFollowed) {
			// An exception of afterCommit prevents all later callbacks, so register the
			// callback that may throw behind those of the application
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					sendAll();
				}

			});
		}
	}

	@Override
	public void afterCommit() {
		if (!this.isFollowed) {
			sendAll();
		}
	}

	@Override
	public void afterCompletion(int status) {
		if (status == STATUS_COMMITTED) {
			try {
				sendAll();
			}
			catch (DelayQueueException failure) {
				logger.error("A transaction has committed, but nobody can be told that its messages have failed",
						failure);
			}
		}
		else {
			this.waiting.forEach((message) -> drop(message, status));
		}
	}

	private static void drop(Waiting waiting, int status) {
		if (status == STATUS_UNKNOWN) {
			logger.warn("Message " + waiting.message().message().storedId() + " of queue '"
					+ waiting.message().settings().name()
					+ "' is not scheduled, because it is unknown whether its transaction has committed");
		}
		waiting.span().end();
	}

	private void sendAll() {
		if (this.waiting.isEmpty()) {
			return;
		}
		List<Waiting> sending = List.copyOf(this.waiting);
		this.waiting.clear();
		List<ScheduleAnswer> answers = send(sending);
		if (answers.stream().anyMatch((answer) -> answer.failure() != null)) {
			throw (answers.size() == 1) ? Objects.requireNonNull(answers.get(0).failure())
					: new ScheduleAfterCommitException(answers);
		}
	}

	private List<ScheduleAnswer> send(List<Waiting> sending) {
		try {
			List<OutgoingMessage> messages = sending.stream().map(Waiting::message).toList();
			CallRetry attempts = this.retryingCalls.begin();
			List<ScheduleAnswer> answers = (messages.size() == 1)
					? sending.get(0).span().during(() -> List.of(this.sender.send(messages.get(0), attempts)))
					: new Bulk(this.sender).send(messages, attempts);
			for (int i = 0; i < answers.size(); i++) {
				sending.get(i).span().answered(answers.get(i));
			}
			return answers;
		}
		catch (RuntimeException | Error failure) {
			sending.forEach((message) -> message.span().failed(failure));
			throw failure;
		}
		finally {
			sending.forEach((message) -> message.span().end());
		}
	}

}
