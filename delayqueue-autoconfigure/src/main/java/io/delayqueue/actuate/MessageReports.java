package io.delayqueue.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.UnaryOperator;

import io.delayqueue.MessageEnd;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.actuate.MessageDescriptor.End;
import io.delayqueue.actuate.MessageDescriptor.Failure;
import io.delayqueue.actuate.ProblemException.Problem;
import io.delayqueue.actuate.RecurringSchedules.OccurrenceDescriptor;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.operate.HistoryPages;
import io.delayqueue.operate.HistoryPages.EndsPage;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.MessagePages.MessageList;
import io.delayqueue.operate.MessagePages.Placed;
import io.delayqueue.operate.MessagePages.QueuePage;
import io.delayqueue.operate.MessagePages.Search;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.ProcessName;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.Candidate;
import io.delayqueue.store.DeadLetters;
import io.delayqueue.store.History.Ended;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.KnownMessages.Found;
import io.delayqueue.store.KnownMessages.FoundMessage;
import io.delayqueue.store.LastEnd;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.QueueDirectory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Describes messages of a queue: pages of messages without their content, and single
 * messages with their content. Safe for use by several threads.
 */
public final class MessageReports {

	/** The default maximum number of messages of a page. */
	static final int DEFAULT_LIMIT = 20;

	/** The largest number of messages that a request for a page can specify. */
	static final int MAX_LIMIT = MessagePages.LARGEST;

	private final QueueDirectory directory;

	private final MessagePages pages;

	private final HistoryPages history;

	private final KnownMessages messages;

	private final MaskedContent contents;

	private final Queues queues;

	/**
	 * Creates the reports.
	 * @param directory the directory of queues
	 * @param pages lists messages
	 * @param history lists ended messages
	 * @param messages finds single messages
	 * @param contents masks the content of messages
	 * @param queues the settings of the queues
	 */
	public MessageReports(QueueDirectory directory, MessagePages pages, HistoryPages history, KnownMessages messages,
			MaskedContent contents, Queues queues) {
		this.directory = directory;
		this.pages = pages;
		this.history = history;
		this.messages = messages;
		this.contents = contents;
		this.queues = queues;
	}

	/**
	 * A page of the messages of a queue in one state, or of the messages of groups.
	 *
	 * @param queue the queue's name
	 * @param state the state, {@code null} if the page has the messages of groups in any
	 * state
	 * @param messages the messages, ordered by partition. In a partition, messages of
	 * groups are ordered by group and due time, and the dead letters of a group come
	 * last. Otherwise scheduled messages are ordered by their next attempt, parked
	 * messages by group and due time, ready and pending messages by the time at which
	 * they became ready, dead messages by the time at which they were dead-lettered
	 * @param next the parameter {@code from} of the next page, {@code null} on the last
	 * page. A page may have fewer messages than requested although more pages follow
	 */
	public record MessagesDescriptor(String queue, @Nullable MessageState state, List<Message> messages,
			@Nullable String next) implements OperationResponseBody {

		/**
		 * A message in a list, without its content.
		 *
		 * @param id the message's id
		 * @param group the group key, {@code null} if the message has none
		 * @param partition the number of the message's partition in its epoch
		 * @param epoch the number of the partition's epoch, as in {@link QueueDescriptor}
		 * @param state the state of the message, {@code null} if the page has messages in
		 * one state
		 * @param nextAttemptAt the time of the next delivery of a scheduled message; this
		 * is the due time unless the message is retried. {@code null} in a list by group,
		 * and likewise {@code readyAt}, {@code consumer} and {@code idleMillis}
		 * @param dueAt the due time of a parked message; in a list by group, of each
		 * message that is not dead
		 * @param readyAt the time at which a ready or pending message became ready
		 * @param diedAt the time at which a dead message was dead-lettered
		 * @param consumer the process that has a pending message
		 * @param idleMillis for how long the consumer has not renewed the lease of the
		 * message, ms
		 * @param attempts how many deliveries have failed so far
		 * @param lastFailure why the last delivery failed, {@code null} if no delivery
		 * has failed
		 */
		public record Message(String id, @Nullable String group, int partition, int epoch, @Nullable MessageState state,
				@Nullable Instant nextAttemptAt, @Nullable Instant dueAt, @Nullable Instant readyAt,
				@Nullable Instant diedAt, @Nullable String consumer, @Nullable Long idleMillis, int attempts,
				@Nullable Failure lastFailure) {
		}

	}

	/**
	 * A page of dead letters of a queue.
	 *
	 * @param queue the queue's name
	 * @param deadLetters the dead letters, by partition and then from the oldest to the
	 * newest
	 * @param next the parameter {@code from} of the next page, {@code null} on the last
	 * page. If dead letters are selected by a reason, a page may have fewer dead letters
	 * than requested, or none, although more pages follow
	 */
	public record DeadLettersDescriptor(String queue, List<Letter> deadLetters,
			@Nullable String next) implements OperationResponseBody {

		/**
		 * A dead letter.
		 *
		 * @param id the message's id
		 * @param group the group key, {@code null} if the message has none
		 * @param partition the number of the message's partition in its epoch
		 * @param epoch the number of the partition's epoch, as in {@link QueueDescriptor}
		 * @param diedAt when the message was dead-lettered
		 * @param failures the number of deliveries that ended with an exception
		 * @param crashes the number of deliveries that ended because their consumer
		 * stopped renewing the lease
		 * @param reason the reason, as in {@link io.delayqueue.admin.DeadLetter#reason()}
		 * @param exception the class of the last exception, {@code null} if no delivery
		 * ended with an exception
		 * @param message the message of the last exception, or a description of another
		 * reason; asterisks if the text is hidden
		 */
		public record Letter(String id, @Nullable String group, int partition, int epoch, Instant diedAt, int failures,
				int crashes, String reason, @Nullable String exception, @Nullable String message) {
		}

	}

	/**
	 * A page of the history of a queue.
	 *
	 * @param queue the queue's name
	 * @param messages messages that have ended, the latest end first
	 * @param next the parameter {@code from} of the next page, {@code null} on the last
	 * page
	 */
	public record HistoryDescriptor(String queue, List<Finished> messages,
			@Nullable String next) implements OperationResponseBody {

		/**
		 * A message that has ended.
		 *
		 * @param id the message's id
		 * @param group the group key, {@code null} if the message had none
		 * @param partition the number of the message's partition in its epoch
		 * @param epoch the number of the partition's epoch, as in {@link QueueDescriptor}
		 * @param how how the message has ended
		 * @param at when the message has ended
		 * @param where the process that ended the message
		 * @param attempts the number of attempts of the message
		 * @param lastFailure why the last delivery failed, {@code null} if no delivery
		 * has failed
		 * @param tookMillis for how long the handler of the last attempt ran, ms;
		 * {@code null} if no handler ended the message
		 */
		public record Finished(String id, @Nullable String group, int partition, int epoch, MessageEnd.How how,
				Instant at, String where, int attempts, @Nullable Failure lastFailure, @Nullable Long tookMillis) {
		}

	}

	MessagesDescriptor messages(String queue, Parameters parameters) {
		Search search = parameters.search();
		MessageState state = (search.isByGroup() && !parameters.has("state")) ? null : parameters.state();
		boolean isById = search.idPrefix() != null;
		if (isById && (search.isByGroup() || (state != MessageState.SCHEDULED && state != MessageState.DEAD))) {
			throw Parameters.invalid("idPrefix", search.idPrefix(),
					"used with the state SCHEDULED or DEAD, without group and groupPrefix");
		}
		if (search.retries() != null && (isById || search.isByGroup() || state != MessageState.SCHEDULED)) {
			throw Parameters.invalid("retries", parameters.text("retries"),
					"used with the state SCHEDULED, without group, groupPrefix and idPrefix");
		}
		QueuePage page = page(new MessageList(epochs(queue), state, null, search), parameters);
		return new MessagesDescriptor(queue, state,
				page.messages().stream().map((one) -> line(one, search.isByGroup(), state == null)).toList(),
				page.next());
	}

	DeadLettersDescriptor deadLetters(String queue, Parameters parameters) {
		QueuePage page = page(new MessageList(epochs(queue), MessageState.DEAD, parameters.reason()), parameters);
		return new DeadLettersDescriptor(queue, page.messages().stream().map(this::letter).toList(), page.next());
	}

	HistoryDescriptor history(String queue, Parameters parameters) {
		EndsPage page = this.history.list(epochs(queue), parameters.text("from"),
				parameters.limit(DEFAULT_LIMIT, MAX_LIMIT), UnaryOperator.identity());
		return new HistoryDescriptor(queue, page.ends().stream().map(this::finished).toList(), page.next());
	}

	private HistoryDescriptor.Finished finished(Ended ended) {
		End end = End.of(ended.end());
		return new HistoryDescriptor.Finished(ended.id(), ended.group(), ended.partition().number(),
				ended.partition().epoch(), end.how(), end.at(), end.where(), ended.attempts(),
				this.contents.failure(ended.partition().queue(), ended.id(), ended.failure()), end.tookMillis());
	}

	/**
	 * Counts the dead letters that a redrive or discard by {@link DelayQueueAdmin} would
	 * select, and changes nothing.
	 */
	int countDeadLetters(String queue, @Nullable String reason, int limit) {
		MessageList dead = new MessageList(epochs(queue), MessageState.DEAD, reason);
		int count = 0;
		@Nullable String from = null;
		do {
			QueuePage page = this.pages.list(dead, from, Math.min(MAX_LIMIT, limit - count), UnaryOperator.identity());
			count += page.messages().size();
			from = page.next();
		}
		while (from != null && count < limit);
		return count;
	}

	private QueuePage page(MessageList list, Parameters parameters) {
		int limit = parameters.limit(DEFAULT_LIMIT, MAX_LIMIT);
		return this.pages.list(list, parameters.text("from"), limit, UnaryOperator.identity());
	}

	private MessagesDescriptor.Message line(Placed placed, boolean isByGroup, boolean isInAnyState) {
		Listed message = placed.message();
		Instant at = Instant.ofEpochMilli(message.atMillis());
		MessageState state = message.state();
		boolean isDead = state == MessageState.DEAD;
		boolean pending = !isByGroup && state == MessageState.PENDING;
		return new MessagesDescriptor.Message(message.id(), message.group(), placed.partition().number(),
				placed.partition().epoch(), isInAnyState ? state : null,
				(!isByGroup && state == MessageState.SCHEDULED) ? at : null,
				(isByGroup ? !isDead : state == MessageState.PARKED) ? at : null,
				(pending || (!isByGroup && state == MessageState.READY)) ? at : null, isDead ? at : null,
				(message.consumer() != null) ? ProcessName.ofConsumer(message.consumer()) : null,
				pending ? message.idleMillis() : null, message.failure().attempts(),
				this.contents.failure(placed.partition().queue(), message.id(), message.failure()));
	}

	private DeadLettersDescriptor.Letter letter(Placed placed) {
		Listed message = placed.message();
		DeadLetter letter = DeadLetters.letter(placed.partition(), message.storedId(), message.atMillis(),
				message.failure());
		Failure failure = this.contents.failure(letter.queue(), letter.id(), message.failure());
		return new DeadLettersDescriptor.Letter(letter.id(), letter.group(), placed.partition().number(),
				placed.partition().epoch(), letter.diedAt(), letter.failures(), letter.crashes(), letter.reason(),
				letter.exception(), (failure != null) ? failure.message() : null);
	}

	MessageDescriptor message(String queue, Parameters parameters, boolean payloadShown) {
		Found answer = find(epochs(queue), parameters.key(queue));
		FoundMessage found = answer.message();
		if (found != null) {
			return MessageDescriptor.of(found, this.contents, payloadShown, this.queues);
		}
		Ended ended = answer.ended();
		if (ended != null) {
			return MessageDescriptor.of(ended, this.contents);
		}
		throw new ProblemException(Problem.UNKNOWN_MESSAGE);
	}

	/** Finds a message, or how it has ended last. */
	private Found find(Epochs epochs, MessageKey key) {
		LastEnd end = new LastEnd();
		for (Candidate candidate : Partitioner.candidates(key, epochs)) {
			Found answer = this.messages.find(candidate);
			if (answer.message() != null) {
				return answer;
			}
			end.add(answer.ended());
		}
		return new Found(null, end.ended(), false);
	}

	/** Describes the occurrence of a recurring schedule at an instant. */
	OccurrenceDescriptor occurrence(Epochs epochs, RecurringSnapshot schedule, Instant instant) {
		String id = schedule.key() + "@" + instant;
		Found answer = find(epochs, new MessageKey(epochs.queue(), id, schedule.group()));
		FoundMessage found = answer.message();
		if (found != null) {
			return new OccurrenceDescriptor(id, instant, found.state(), null, found.failure().attempts(),
					this.contents.failure(epochs.queue(), id, found.failure()));
		}
		Ended ended = answer.ended();
		return (ended == null) ? new OccurrenceDescriptor(id, instant, null, null, 0, null)
				: new OccurrenceDescriptor(id, instant, MessageState.FINISHED, End.of(ended.end()), ended.attempts(),
						this.contents.failure(epochs.queue(), id, ended.failure()));
	}

	/**
	 * Returns the queues that have, or recently had, recurring schedules, with their
	 * epochs.
	 */
	SortedMap<String, Epochs> withRecurring() {
		SortedMap<String, Epochs> all = this.directory.all();
		all.keySet().retainAll(this.directory.recurring().stored());
		return all;
	}

	/** Returns the names of all queues, in their order. */
	Set<String> queues() {
		return this.directory.all().keySet();
	}

	/** Returns the epochs of a queue. */
	Epochs epochs(String queue) {
		return this.directory.read(queue)
			.orElseThrow(() -> ProblemException.unknownQueue(queue, this.directory.all().keySet()));
	}

}
