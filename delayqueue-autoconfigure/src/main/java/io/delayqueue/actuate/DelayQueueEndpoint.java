package io.delayqueue.actuate;

import java.util.function.Supplier;

import io.delayqueue.DelayQueueException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.RecurringOperations;
import io.delayqueue.actuate.MessageOperations.EditedMessageDescriptor;
import io.delayqueue.actuate.MessageOperations.OperatedDeadLettersDescriptor;
import io.delayqueue.actuate.MessageOperations.OperatedMessageDescriptor;
import io.delayqueue.actuate.MessageReports.DeadLettersDescriptor;
import io.delayqueue.actuate.MessageReports.HistoryDescriptor;
import io.delayqueue.actuate.MessageReports.MessagesDescriptor;
import io.delayqueue.actuate.ProblemException.Problem;
import io.delayqueue.actuate.RepairOperations.AuditDescriptor;
import io.delayqueue.actuate.QueueOperations.PurgeDescriptor;
import io.delayqueue.actuate.QueueOperations.QueueHoldDescriptor;
import io.delayqueue.actuate.QueueOperations.QueueLimitsDescriptor;
import io.delayqueue.actuate.QueueOperations.QueuePartitionsDescriptor;
import io.delayqueue.actuate.QueueOperations.QueueStatusDescriptor;
import io.delayqueue.actuate.RepairOperations.RepairDescriptor;
import io.delayqueue.actuate.QueueReports.QueuesDescriptor;
import io.delayqueue.actuate.RecurringSchedules.RecurringDescriptor;
import io.delayqueue.actuate.RecurringSchedules.ScheduleDescriptor;
import io.delayqueue.actuate.TrendReports.TrendDescriptor;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Trends;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint that shows the queues and messages of this key prefix, including
 * queues that only other applications use. With unrestricted access, which is not the
 * default, the endpoint also changes queues and messages. Safe for use by several
 * threads.
 *
 * <p>
 * The work of a request to the endpoint is bounded, except that of a purge. No call scans
 * for keys, and no script except the repair scripts reads more than 1,000 messages:
 * <ul>
 * <li>The list of all queues: one call to Redis for the names, one for each partition of
 * the queues on the page, and one for each queue with overdue messages. A page has
 * several queues only if these queues have at most 1,024 partitions in all.</li>
 * <li>One queue: two calls to Redis for each partition of the queue, and a third call if
 * the partition has holds; one for the rate limit, and one more if messages are overdue.
 * An epoch has at most 1,024 partitions.</li>
 * <li>The members (consuming processes), in the view of all queues and in the view of one
 * queue: one call to Redis if this process is not a member, otherwise none.</li>
 * <li>Lists of messages: one call to Redis for each partition that the page covers and
 * one for each 250 messages read; a page ends after 5,000 read messages. A list contains
 * no content of messages, so no record is read.</li>
 * <li>Recurring schedules: one call to Redis for each partition that the page covers and
 * one for each 1,000 schedules, and one for the last occurrence of each schedule; for the
 * schedules of all queues two more for the names of the queues, and the partitions of a
 * page are at most 1,024, unless it has a single queue.</li>
 * <li>The history: one call to Redis for each partition of the queue.</li>
 * <li>The trend: one call to Redis.</li>
 * <li>One message: one call to Redis for the partition of its group, or for each
 * partition until the message is found. Only the view of one message reads a record, the
 * stored content of a message.</li>
 * <li>Operations on several dead letters: at most 10,000 dead letters, in steps of
 * 100.</li>
 * <li>Repair: a request checks about 50,000 ids, about 100 in one run of the script. With
 * a Redis older than 7.4, one run checks up to 2,000 ids if their records are large.</li>
 * <li>Purge: no bound, because a purge removes messages until the queue is empty.</li>
 * </ul>
 */
@Endpoint(id = "delayqueue", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({ MessagesDescriptor.class, HistoryDescriptor.class, MessageDescriptor.class,
		DeadLettersDescriptor.class, OperatedMessageDescriptor.class, OperatedDeadLettersDescriptor.class,
		QueueStatusDescriptor.class, QueueHoldDescriptor.class, PurgeDescriptor.class, AuditDescriptor.class,
		RepairDescriptor.class, RecurringDescriptor.class, ScheduleDescriptor.class, EditedMessageDescriptor.class,
		TrendDescriptor.class, QueueLimitsDescriptor.class, QueuePartitionsDescriptor.class })
public class DelayQueueEndpoint {

	/** User name logged for unauthenticated callers. */
	static final String ANONYMOUS = "anonymous";

	private final QueueReports queues;

	private final MessageReports messages;

	private final RecurringSchedules recurring;

	private final TrendReports trends;

	private final Operator operator;

	private final Show showPayloads;

	/**
	 * Creates the endpoint.
	 * @param queues shows queues
	 * @param messages shows messages
	 * @param recurring lists recurring schedules
	 * @param trends finds the trends of queues
	 * @param operator carries out operations
	 * @param showPayloads the callers to which the endpoint shows payloads; callers that
	 * do not use HTTP count as authorized
	 */
	public DelayQueueEndpoint(QueueReports queues, MessageReports messages, RecurringOperations recurring,
			Trends trends, Operator operator, Show showPayloads) {
		this.queues = queues;
		this.messages = messages;
		this.recurring = new RecurringSchedules(recurring, messages);
		this.trends = new TrendReports(trends, messages);
		this.operator = operator;
		this.showPayloads = showPayloads;
	}

	/**
	 * Returns a page of queues.
	 * @param from the name with which the page begins, whether or not a queue of that
	 * name exists; {@code null} for the first queue
	 * @param limit the maximum number of queues, 1 to 1,000; {@code null} for 100
	 * @param group the group of which each queue on the page has messages or dead
	 * letters; {@code null} for all queues
	 * @return the queues with their counts
	 * @throws InvalidMessageException if a parameter is invalid
	 * @throws StoreException if Redis does not answer
	 */
	@ReadOperation
	public QueuesDescriptor queues(@Nullable String from, @Nullable Integer limit, @Nullable String group) {
		return show(Parameters.of("from", from, "limit", limit, "group", group));
	}

	/**
	 * Returns the description of one queue.
	 * @param queue the queue's name
	 * @return the counts, partitions, upcoming due times and consumers of the queue;
	 * {@code null} if no queue of that name has ever been used
	 * @throws StoreException if Redis does not answer
	 */
	@ReadOperation
	public @Nullable QueueDescriptor queue(@Selector String queue) {
		return orNull(() -> this.queues.queue(queue));
	}

	/**
	 * Returns a page of messages of a queue, or one message.
	 * @param queue the queue's name; {@code *} for the recurring schedules of all queues
	 * @param view {@code messages} of a state, one {@code message}, {@code dead-letters},
	 * the {@code history}, {@code recurring} schedules, or the {@code trend}
	 * @param state for messages: {@code SCHEDULED}, {@code PARKED}, {@code READY},
	 * {@code PENDING} or {@code DEAD}; {@code null} for any state, only with
	 * {@code group} or {@code groupPrefix}
	 * @param id for one message: the message's id
	 * @param group for one message: the group of the message, {@code null} for any group;
	 * for messages: their group
	 * @param reason for dead letters: the reason of the dead letters to list,
	 * {@code null} for any reason
	 * @param from for all views except that of one message: {@code next} of the previous
	 * page, {@code null} for the first page
	 * @param limit for all views except that of one message: the maximum number of
	 * entries on the page, 1 to 1,000; {@code null} for 20
	 * @param groupPrefix for messages: the first characters of their groups
	 * @param idPrefix for scheduled or dead messages: the first characters of their ids
	 * @param retries for scheduled messages: {@code true} for those that wait for a retry
	 * after a failed attempt, {@code false} for all others
	 * @param over for the trend: {@code hour}, {@code day} or {@code week}; {@code null}
	 * for an hour
	 * @return {@link MessagesDescriptor}, {@link MessageDescriptor},
	 * {@link DeadLettersDescriptor}, {@link HistoryDescriptor},
	 * {@link RecurringDescriptor} or {@link TrendDescriptor}; {@code null} if there is no
	 * such queue, view or message
	 * @throws InvalidMessageException if a parameter is invalid
	 * @throws StoreException if Redis does not answer
	 */
	@ReadOperation
	public @Nullable OperationResponseBody view(@Selector String queue, @Selector String view, @Nullable String state,
			@Nullable String id, @Nullable String group, @Nullable String reason, @Nullable String from,
			@Nullable Integer limit, @Nullable String groupPrefix, @Nullable String idPrefix, @Nullable Boolean retries,
			@Nullable String over) {
		return orNull(() -> show(queue, view,
				Parameters.of("state", state, "id", id, "group", group, "groupPrefix", groupPrefix, "idPrefix",
						idPrefix, "retries", retries, "reason", reason, "from", from, "limit", limit, "over", over),
				this.showPayloads.isShown(true)));
	}

	/**
	 * Carries out an action on a queue or its messages. Each action accepts only its own
	 * parameters and rejects all other parameters.
	 * @param queue the queue's name; {@code *} to redrive dead letters of all queues
	 * @param action {@code cancel}, {@code reschedule}, {@code redrive}, {@code edit},
	 * {@code discard}, {@code pause}, {@code resume}, {@code hold}, {@code release},
	 * {@code limit-rate}, {@code clear-rate-limit}, {@code pause-recurring},
	 * {@code resume-recurring}, {@code run-recurring}, {@code drain}, {@code reopen},
	 * {@code repartition}, {@code purge}, {@code audit} or {@code repair}
	 * @param id for cancel and reschedule: the message's id; for redrive and discard: the
	 * id of a dead letter, {@code null} for several dead letters
	 * @param group with an id: the message's group, {@code null} for any group; for hold
	 * and release: the group, {@code null} for the whole queue
	 * @param at for reschedule: the new due time, as in ISO 8601; for hold: the end of
	 * the hold
	 * @param delay for reschedule and hold: the time from now until the new due time or
	 * the end of the hold, for example {@code 5m}; replaces {@code at}
	 * @param now for reschedule: {@code true} if the message is due now
	 * @param reason for several dead letters: the reason of the dead letters,
	 * {@code null} for any reason
	 * @param limit for several dead letters: their maximum number, 1 to 10,000;
	 * {@code null} for 100
	 * @param within for redrive of several dead letters: the duration over which their
	 * due times are spread, 0 to 7 days; {@code null} for 0
	 * @param dryRun for several dead letters: whether the call only counts the dead
	 * letters
	 * @param confirm for purge: the queue's name again, as a confirmation
	 * @param deadLetters for purge: whether dead letters are removed too
	 * @param from for repair: {@code next} of the previous call, {@code null} to begin
	 * @param partitions for repartition: the new partition count, 1 to 1,024
	 * @param why for hold: the reason of the hold, {@code null} for none
	 * @param messages for limit-rate: the maximum number of messages in a period, 1 to
	 * 1,000,000
	 * @param per for limit-rate: the period, 100 ms to 31 d; {@code null} for a second
	 * @param burst for limit-rate: the maximum number of messages that are handed to
	 * handlers at once, {@code null} for a tenth of {@code messages}
	 * @param key for the actions on a recurring schedule: the key of the schedule
	 * @param newId for edit: the new id of the message, {@code null} to keep its id
	 * @param headers for edit: an object with the new values of headers, and {@code null}
	 * for each header to remove; all other headers stay
	 * @param payload for edit: the new payload: a text, which is stored as it is, or
	 * other JSON; {@code null} to keep the payload
	 * @param encoding for edit: {@code text}, or {@code base64} if {@code payload} is the
	 * Base64 form of the bytes; {@code null} for {@code text}
	 * @return {@link OperatedMessageDescriptor}, {@link EditedMessageDescriptor},
	 * {@link ScheduleDescriptor}, {@link OperatedDeadLettersDescriptor},
	 * {@link QueueStatusDescriptor}, {@link QueueHoldDescriptor},
	 * {@link QueueLimitsDescriptor}, {@link QueuePartitionsDescriptor},
	 * {@link PurgeDescriptor}, {@link AuditDescriptor} or {@link RepairDescriptor};
	 * {@code null} if there is no such queue, action, message or dead letter
	 * @throws InvalidMessageException if a parameter is invalid
	 * @throws DelayQueueException if Redis does not answer
	 */
	@WriteOperation
	public @Nullable OperationResponseBody operate(@Selector String queue, @Selector String action, @Nullable String id,
			@Nullable String group, @Nullable String at, @Nullable String delay, @Nullable Boolean now,
			@Nullable String reason, @Nullable Integer limit, @Nullable String within, @Nullable Boolean dryRun,
			@Nullable String confirm, @Nullable Boolean deadLetters, @Nullable String from,
			@Nullable Integer partitions, @Nullable String why, @Nullable Integer messages, @Nullable String per,
			@Nullable Integer burst, @Nullable String key, @Nullable String newId, @Nullable String headers,
			@Nullable String payload, @Nullable String encoding) {
		return orNull(() -> operate(ANONYMOUS, queue, action,
				Parameters.of("id", id, "group", group, "at", at, "delay", delay, "now", now, "reason", reason, "limit",
						limit, "within", within, "dryRun", dryRun, "confirm", confirm, "deadLetters", deadLetters,
						"from", from, "partitions", partitions, "why", why, "messages", messages, "per", per, "burst",
						burst, "key", key, "newId", newId, "headers", headers, "payload", payload, "encoding",
						encoding)));
	}

	OperationResponseBody operate(String principal, String queue, String action, Parameters parameters) {
		return this.operator.operate(principal, queue, action, parameters);
	}

	QueuesDescriptor show(Parameters parameters) {
		return this.queues.queues(parameters);
	}

	QueueDescriptor show(String queue) {
		return this.queues.queue(queue);
	}

	OperationResponseBody show(String queue, String view, Parameters parameters, boolean payloadShown) {
		parameters.only(ActionParameters.ofView(view).orElseThrow(() -> new ProblemException(Problem.UNKNOWN_VIEW)));
		return switch (view) {
			case "messages" -> this.messages.messages(queue, parameters);
			case "message" -> this.messages.message(queue, parameters, payloadShown);
			case "recurring" -> this.recurring.page(queue, parameters);
			case "history" -> this.messages.history(queue, parameters);
			case "trend" -> this.trends.trend(queue, parameters);
			case "dead-letters" -> this.messages.deadLetters(queue, parameters);
			default -> throw new IllegalStateException(view + " is a view without a report, which indicates a bug");
		};
	}

	private static <B> @Nullable B orNull(Supplier<B> call) {
		try {
			return call.get();
		}
		catch (ProblemException problem) {
			if (problem.isNotFound()) {
				return null;
			}
			throw problem;
		}
	}

}
