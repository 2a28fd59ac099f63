package io.delayqueue.actuate;

import java.util.Locale;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperatedEvent;
import io.delayqueue.DelayQueueOperatedEvent.Action;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.MessageKey;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.RepairService;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Does with queues and messages what the endpoint is told to, and tells of it: in the
 * log, with the name of who has done it, and to the observer. Safe for use by several
 * threads.
 */
public final class Operator {

	private static final Log logger = LogFactory.getLog(Operator.class);

	private final QueueDirectory directory;

	private final Queues queues;

	private final MessageWork messages;

	private final DeadLetterWork deadLetters;

	private final QueueWork wholeQueues;

	private final QueueObserver observer;

	/**
	 * Creates an operator.
	 * @param directory knows the queues
	 * @param queues knows their settings in this process
	 * @param means does the work
	 * @param observer is told of it
	 */
	public Operator(QueueDirectory directory, Queues queues, Means means, QueueObserver observer) {
		this.directory = directory;
		this.queues = queues;
		this.messages = new MessageWork(means.messages(), means.admin());
		this.deadLetters = new DeadLetterWork(means.admin(), means.pages());
		this.wholeQueues = new QueueWork(means.admin(), means.repairService());
		this.observer = observer;
	}

	/**
	 * What does the work.
	 *
	 * @param messages what a producer does
	 * @param admin what an operator does
	 * @param pages lists messages
	 * @param repairService audits and repairs
	 */
	public record Means(DelayQueueOperations messages, DelayQueueAdmin admin, MessagePages pages,
			RepairService repairService) {
	}

	OperationResponseBody operate(String principal, String queue, String action, Instructions instructions) {
		Action known = known(action);
		int partitions = this.directory.partitions(queue);
		if (partitions == 0) {
			throw new UnknownException(UnknownException.What.QUEUE);
		}
		try {
			Deed.Answer answer = carryOut(known, queue, partitions, instructions);
			if (answer.deed() != null) {
				tell(principal, queue, known, answer.deed());
			}
			return answer.body();
		}
		catch (ConflictException conflict) {
			Deed deed = conflict.deed();
			if (deed != null) {
				tell(principal, queue, known, deed);
			}
			throw conflict;
		}
		catch (UnknownRecordException unknown) {
			throw new ConflictException(ConflictException.What.UNKNOWN_RECORD);
		}
		catch (DelayQueueUnavailableException | RedisRefusedException | StoreException failure) {
			logger.warn(line(principal, queue, known, instructions.text(Instructions.ID),
					instructions.text(Instructions.GROUP))
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

	private Deed.Answer carryOut(Action action, String queue, int partitions, Instructions instructions) {
		return switch (action) {
			case CANCEL -> messages(queue, partitions).cancel(queue, instructions);
			case RESCHEDULE -> messages(queue, partitions).reschedule(queue, instructions);
			case REDRIVE -> instructions.has(Instructions.ID) ? messages(queue, partitions).redrive(queue, instructions)
					: deadLetters(queue, partitions).redrive(queue, partitions, instructions);
			case DISCARD -> instructions.has(Instructions.ID) ? messages(queue, partitions).discard(queue, instructions)
					: deadLetters(queue, partitions).discard(queue, partitions, instructions);
			case PAUSE -> this.wholeQueues.pause(queue, instructions);
			case RESUME -> this.wholeQueues.resume(queue, instructions);
			case DRAIN -> this.wholeQueues.drain(queue, instructions);
			case REOPEN -> this.wholeQueues.reopen(queue, instructions);
			case PURGE -> this.wholeQueues.purge(queue, instructions);
			case AUDIT -> this.wholeQueues.audit(queue, instructions);
			case REPAIR -> this.wholeQueues.repair(queue, instructions);
		};
	}

	private MessageWork messages(String queue, int partitions) {
		checkPartitions(queue, partitions);
		return this.messages;
	}

	private DeadLetterWork deadLetters(String queue, int partitions) {
		checkPartitions(queue, partitions);
		return this.deadLetters;
	}

	/**
	 * Single messages are looked for where this process would put them, so it would miss
	 * those of a queue that it does not know, and go by quotas that are not the queue's.
	 */
	private void checkPartitions(String queue, int partitions) {
		if (this.queues.settings(queue).partitions() != partitions) {
			throw new ConflictException(ConflictException.What.OTHER_PARTITIONS);
		}
	}

	private void tell(String principal, String queue, Action action, Deed deed) {
		MessageKey key = deed.key();
		String id = (key != null) ? key.id() : null;
		String group = (key != null) ? key.group() : null;
		logger.info(line(principal, queue, action, id, group) + LogText.escaped(deed.outcome()));
		this.observer.operated(
				new DelayQueueOperatedEvent(queue, action, id, group, principal, deed.messages(), deed.outcome()));
	}

	private static String line(String principal, String queue, Action action, @Nullable String id,
			@Nullable String group) {
		return "'" + LogText.escaped(principal) + "' has operated queue '" + queue + "', " + word(action)
				+ ((id != null) ? " of message '" + LogText.escaped(id) + "'" : "")
				+ ((group != null) ? " in group '" + LogText.escaped(group) + "'" : "") + ": ";
	}

}
