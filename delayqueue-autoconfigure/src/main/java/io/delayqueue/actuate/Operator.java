package io.delayqueue.actuate;

import java.util.SortedMap;
import java.util.TreeMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.MessageKey;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.actuate.MessageOperations.OperatedDeadLettersDescriptor;
import io.delayqueue.actuate.ProblemException.Problem;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.operate.RepairService;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Carries out the write operations of the endpoint. This class logs each operation except
 * a dry run, with the user's name, and notifies the observer of the operation. Safe for
 * use by several threads.
 */
public final class Operator {

	private static final Log logger = LogFactory.getLog(Operator.class);

	private final MessageReports reports;

	private final MessageOperations messages;

	private final QueueOperations wholeQueues;

	private final RepairOperations repairs;

	private final RecurringSchedules recurring;

	private final QueueObserver observer;

	/**
	 * Creates an operator.
	 * @param reports finds queues and counts dead letters
	 * @param messages cancels and reschedules messages
	 * @param admin carries out operations on dead letters and queues
	 * @param repairService audits and repairs queues
	 * @param recurring pauses, resumes and runs recurring schedules
	 * @param observer receives a notification of each operation
	 */
	public Operator(MessageReports reports, DelayQueueOperations messages, DelayQueueAdmin admin,
			RepairService repairService, RecurringOperations recurring, QueueObserver observer) {
		this.reports = reports;
		this.messages = new MessageOperations(messages, admin, reports);
		this.wholeQueues = new QueueOperations(admin);
		this.repairs = new RepairOperations(repairService);
		this.recurring = new RecurringSchedules(recurring, reports);
		this.observer = observer;
	}

	OperationResponseBody operate(String principal, String queue, String action, Parameters parameters) {
		Action known = ActionParameters.action(action).orElseThrow(() -> new ProblemException(Problem.UNKNOWN_ACTION));
		if (known == Action.REDRIVE && queue.equals(DeadLetterSelection.ALL_QUEUES)) {
			return redriveOfAllQueues(principal, parameters);
		}
		this.reports.epochs(queue);
		try {
			OperationResult result = carryOut(principal, known, queue, parameters);
			if (result.outcome() != null) {
				report(principal, queue, known, result.key(), result.messages(), result.outcome());
			}
			return result.body();
		}
		catch (ProblemException problem) {
			if (problem.problem() == Problem.CANCELLED_IN_FLIGHT) {
				report(principal, queue, known, parameters.key(queue), 1,
						"the message was removed while a consumer has it; its handler may finish, no retry follows");
			}
			throw problem;
		}
		catch (UnknownRecordException unknown) {
			throw new ProblemException(Problem.UNKNOWN_RECORD);
		}
		catch (ScheduleOutcomeUnknownException unknown) {
			String outcome = "it is unknown whether the message was scheduled";
			logger.warn(line(principal, queue, known, unknown.messageId(), null) + outcome + ": "
					+ DiagnosticText.line(DiagnosticText.reason(unknown.getCause())));
			publish(principal, queue, known, MessageKey.of(queue, unknown.messageId()), 0, outcome);
			throw new ProblemException(Problem.OUTCOME_UNKNOWN);
		}
		catch (DelayQueueUnavailableException | RedisRefusedException | StoreException failure) {
			logger.warn(line(principal, queue, known, parameters.text("id"), parameters.text("group"))
					+ "the operation failed, but a part may have been carried out; the operation may be repeated: "
					+ DiagnosticText.line(String.valueOf(failure.getMessage())));
			throw failure;
		}
	}

	/**
	 * Redrives dead letters of one queue after the other, and reports each queue that has
	 * some.
	 */
	private OperatedDeadLettersDescriptor redriveOfAllQueues(String principal, Parameters parameters) {
		parameters.only(MessageOperations.OF_SEVERAL);
		String reason = parameters.reason();
		int limit = MessageOperations.limit(parameters);
		int count = 0;
		SortedMap<String, Integer> counts = new TreeMap<>();
		for (String queue : this.reports.queues()) {
			if (count < limit && this.reports.countDeadLetters(queue, reason, 1) > 0) {
				OperationResponseBody body = operate(principal, queue, DiagnosticText.word(Action.REDRIVE),
						parameters.with("limit", limit - count));
				int redriven = ((OperatedDeadLettersDescriptor) body).count();
				counts.put(queue, redriven);
				count += redriven;
			}
		}
		return new OperatedDeadLettersDescriptor(DeadLetterSelection.ALL_QUEUES, reason, limit,
				parameters.flag("dryRun"), count, counts);
	}

	private OperationResult carryOut(String principal, Action action, String queue, Parameters parameters) {
		parameters.only(ActionParameters.of(action));
		return switch (action) {
			case CANCEL -> this.messages.cancel(queue, parameters);
			case RESCHEDULE -> this.messages.reschedule(queue, parameters);
			case REDRIVE -> this.messages.redrive(queue, parameters);
			case EDIT -> this.messages.edit(queue, parameters);
			case DISCARD -> this.messages.discard(queue, parameters);
			case PAUSE -> this.wholeQueues.pause(queue);
			case RESUME -> this.wholeQueues.resume(queue);
			case HOLD -> this.wholeQueues.hold(principal, queue, parameters);
			case RELEASE -> this.wholeQueues.release(queue, parameters);
			case LIMIT_RATE -> this.wholeQueues.limitRate(queue, parameters);
			case CLEAR_RATE_LIMIT -> this.wholeQueues.clearRateLimit(queue);
			case PAUSE_RECURRING -> this.recurring.pause(queue, parameters);
			case RESUME_RECURRING -> this.recurring.resume(queue, parameters);
			case RUN_RECURRING -> this.recurring.run(queue, parameters);
			case DRAIN -> this.wholeQueues.drain(queue);
			case REOPEN -> this.wholeQueues.reopen(queue);
			case REPARTITION -> this.wholeQueues.repartition(queue, parameters);
			case PURGE -> this.wholeQueues.purge(queue, parameters);
			case AUDIT -> this.repairs.audit(queue);
			case REPAIR -> this.repairs.repair(queue, parameters);
		};
	}

	private void report(String principal, String queue, Action action, @Nullable MessageKey key, long messages,
			String outcome) {
		String id = (key != null) ? key.id() : null;
		String group = (key != null) ? key.group() : null;
		logger.info(line(principal, queue, action, id, group) + DiagnosticText.line(outcome));
		publish(principal, queue, action, key, messages, outcome);
	}

	private void publish(String principal, String queue, Action action, @Nullable MessageKey key, long messages,
			String outcome) {
		String id = (key != null) ? key.id() : null;
		String group = (key != null) ? key.group() : null;
		this.observer.operated(new DelayQueueOperatedEvent(queue, action, id, group, principal, messages, outcome));
	}

	private static String line(String principal, String queue, Action action, @Nullable String id,
			@Nullable String group) {
		return "'" + DiagnosticText.escaped(principal) + "' requested '" + DiagnosticText.word(action) + "' of queue '"
				+ queue + "'" + ((id != null) ? ", message '" + DiagnosticText.escaped(id) + "'" : "")
				+ ((group != null) ? ", group '" + DiagnosticText.escaped(group) + "'" : "") + ": ";
	}

}
