package io.delayqueue.actuate;

import java.util.Locale;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.MessageKey;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.RepairService;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.QueueDirectory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Carries out the write operations of the endpoint. Logs each one with the user's name
 * and notifies the observer. Safe for use by several threads.
 */
public final class Operator {

	private static final Log logger = LogFactory.getLog(Operator.class);

	private final QueueDirectory directory;

	private final Queues queues;

	private final MessageOperations messages;

	private final DeadLetterOperations deadLetters;

	private final QueueOperations wholeQueues;

	private final QueueObserver observer;

	/**
	 * Creates an operator.
	 * @param directory the directory of queues
	 * @param queues the settings of the queues in this process
	 * @param means carries out the operations
	 * @param observer is notified of operations
	 */
	public Operator(QueueDirectory directory, Queues queues, Means means, QueueObserver observer) {
		this.directory = directory;
		this.queues = queues;
		this.messages = new MessageOperations(means.messages(), means.admin());
		this.deadLetters = new DeadLetterOperations(means.admin(), means.pages());
		this.wholeQueues = new QueueOperations(means.admin(), means.repairService());
		this.observer = observer;
	}

	/**
	 * The components that carry out operations.
	 *
	 * @param messages cancels and reschedules
	 * @param admin operates dead letters and queues
	 * @param pages lists messages
	 * @param repairService audits and repairs
	 */
	public record Means(DelayQueueOperations messages, DelayQueueAdmin admin, MessagePages pages,
			RepairService repairService) {
	}

	OperationResponseBody operate(String principal, String queue, String action, OperationParameters parameters) {
		Action known = known(action);
		int partitions = this.directory.partitions(queue);
		if (partitions == 0) {
			throw new UnknownException(UnknownException.What.QUEUE);
		}
		try {
			OperationRecord.Answer answer = carryOut(known, queue, partitions, parameters);
			if (answer.record() != null) {
				report(principal, queue, known, answer.record());
			}
			return answer.body();
		}
		catch (ConflictException conflict) {
			OperationRecord record = conflict.record();
			if (record != null) {
				report(principal, queue, known, record);
			}
			throw conflict;
		}
		catch (UnknownRecordException unknown) {
			throw new ConflictException(ConflictException.What.UNKNOWN_RECORD);
		}
		catch (DelayQueueUnavailableException | RedisRefusedException | StoreException failure) {
			logger.warn(line(principal, queue, known, parameters.text(OperationParameters.ID),
					parameters.text(OperationParameters.GROUP))
					+ "it has failed, and part of it may have been carried out; it may be repeated: "
					+ LogText.escaped(String.valueOf(failure.getMessage())));
			throw failure;
		}
	}

	private static Action known(String name) {
		for (Action action : Action.values()) {
			if (word(action).equals(name)) {
				return action;
			}
		}
		throw new UnknownException(UnknownException.What.ACTION);
	}

	private static String word(Action action) {
		return action.name().toLowerCase(Locale.ROOT);
	}

	private OperationRecord.Answer carryOut(Action action, String queue, int partitions,
			OperationParameters parameters) {
		return switch (action) {
			case CANCEL -> messages(queue, partitions).cancel(queue, parameters);
			case RESCHEDULE -> messages(queue, partitions).reschedule(queue, parameters);
			case REDRIVE ->
				parameters.has(OperationParameters.ID) ? messages(queue, partitions).redrive(queue, parameters)
						: deadLetters(queue, partitions).redrive(queue, partitions, parameters);
			case DISCARD ->
				parameters.has(OperationParameters.ID) ? messages(queue, partitions).discard(queue, parameters)
						: deadLetters(queue, partitions).discard(queue, partitions, parameters);
			case PAUSE -> this.wholeQueues.pause(queue, parameters);
			case RESUME -> this.wholeQueues.resume(queue, parameters);
			case DRAIN -> this.wholeQueues.drain(queue, parameters);
			case REOPEN -> this.wholeQueues.reopen(queue, parameters);
			case PURGE -> this.wholeQueues.purge(queue, parameters);
			case AUDIT -> this.wholeQueues.audit(queue, parameters);
			case REPAIR -> this.wholeQueues.repair(queue, parameters);
		};
	}

	private MessageOperations messages(String queue, int partitions) {
		checkPartitions(queue, partitions);
		return this.messages;
	}

	private DeadLetterOperations deadLetters(String queue, int partitions) {
		checkPartitions(queue, partitions);
		return this.deadLetters;
	}

	/**
	 * Single messages are searched in the partition that follows from the settings of
	 * this process. With another partition count than the queue's, messages would be
	 * missed and wrong quotas applied.
	 */
	private void checkPartitions(String queue, int partitions) {
		if (this.queues.settings(queue).partitions() != partitions) {
			throw new ConflictException(ConflictException.What.OTHER_PARTITIONS);
		}
	}

	private void report(String principal, String queue, Action action, OperationRecord record) {
		MessageKey key = record.key();
		String id = (key != null) ? key.id() : null;
		String group = (key != null) ? key.group() : null;
		logger.info(line(principal, queue, action, id, group) + LogText.escaped(record.outcome()));
		this.observer.operated(
				new DelayQueueOperatedEvent(queue, action, id, group, principal, record.messages(), record.outcome()));
	}

	private static String line(String principal, String queue, Action action, @Nullable String id,
			@Nullable String group) {
		return "'" + LogText.escaped(principal) + "' has operated queue '" + queue + "', " + word(action)
				+ ((id != null) ? " of message '" + LogText.escaped(id) + "'" : "")
				+ ((group != null) ? " in group '" + LogText.escaped(group) + "'" : "") + ": ";
	}

}
