package io.delayqueue.actuate;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.operate.MessagePages.MessageList;
import io.delayqueue.operate.MessagePages.Placed;
import io.delayqueue.operate.MessagePages.QueuePage;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.record.UnreadableRecordException;
import io.delayqueue.store.DeadLetters;
import io.delayqueue.store.KnownMessages.FoundMessage;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Partition;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.QueueDirectory;
import org.jspecify.annotations.Nullable;

/**
 * Describes messages of a queue: pages of them, which read no record, and single
 * messages. Safe for use by several threads.
 */
public final class MessageReports {

	/** The default number of messages of a page. */
	static final int DEFAULT_LIMIT = 20;

	/** The maximum number of messages of a page. */
	static final int MAX_LIMIT = MessagePages.LARGEST;

	private final QueueDirectory directory;

	private final MessagePages pages;

	private final KnownMessages messages;

	private final MaskedContent contents;

	/**
	 * Creates the reports.
	 * @param directory the directory of queues
	 * @param pages lists messages
	 * @param messages finds single messages
	 * @param contents masks their content
	 */
	public MessageReports(QueueDirectory directory, MessagePages pages, KnownMessages messages,
			MaskedContent contents) {
		this.directory = directory;
		this.pages = pages;
		this.messages = messages;
		this.contents = contents;
	}

	MessagesDescriptor messages(String queue, Parameters parameters) {
		MessageState state = parameters.requiredState();
		QueuePage page = page(queue, state, null, parameters);
		return new MessagesDescriptor(queue, state, page.messages().stream().map((one) -> line(one, state)).toList(),
				page.next());
	}

	DeadLettersDescriptor deadLetters(String queue, Parameters parameters) {
		QueuePage page = page(queue, MessageState.DEAD, parameters.checkedReason(), parameters);
		return new DeadLettersDescriptor(queue, page.messages().stream().map(this::letter).toList(), page.next());
	}

	private QueuePage page(String queue, MessageState state, @Nullable String reason, Parameters parameters) {
		int limit = Parameters.limit(parameters.limit(), DEFAULT_LIMIT, MAX_LIMIT);
		return this.pages.list(new MessageList(queue, partitions(queue), state, reason), parameters.from(), limit,
				UnaryOperator.identity());
	}

	private MessagesDescriptor.Message line(Placed placed, MessageState state) {
		Listed message = placed.message();
		Instant at = Instant.ofEpochMilli(message.atMillis());
		boolean pending = state == MessageState.PENDING;
		return new MessagesDescriptor.Message(message.id(), placed.partition().number(),
				(state == MessageState.SCHEDULED) ? at : null, (state == MessageState.PARKED) ? at : null,
				(pending || state == MessageState.READY) ? at : null, (state == MessageState.DEAD) ? at : null,
				message.consumer(), pending ? message.idleMillis() : null, message.failure().attempts(),
				this.contents.failure(placed.partition().queue(), message.id(), message.failure()));
	}

	private DeadLettersDescriptor.Letter letter(Placed placed) {
		Listed message = placed.message();
		DeadLetter letter = DeadLetters.letter(placed.partition(), message.id(), message.atMillis(), message.failure());
		FailureDescriptor failure = this.contents.failure(letter.queue(), letter.id(), message.failure());
		return new DeadLettersDescriptor.Letter(letter.id(), placed.partition().number(), letter.diedAt(),
				letter.failures(), letter.crashes(), letter.reason(), letter.exception(),
				(failure != null) ? failure.message() : null);
	}

	MessageDescriptor message(String queue, Parameters parameters, boolean payloadShown) {
		int partitions = partitions(queue);
		MessageKey key = new MessageKey(queue, String.valueOf(required("id", parameters.id())), parameters.group());
		for (Partition candidate : Partitioner.candidates(key, partitions)) {
			Optional<FoundMessage> found = this.messages.findStored(candidate, key);
			if (found.isPresent() && isOfGroup(found.get(), key.group())) {
				return describe(found.get(), payloadShown);
			}
		}
		throw new UnknownException(UnknownException.What.MESSAGE);
	}

	private static String required(String name, @Nullable String value) {
		if (value == null) {
			throw Parameters.invalid(name, null, "given");
		}
		return value;
	}

	/** The partition may also contain messages without a group or of another group. */
	private static boolean isOfGroup(FoundMessage found, @Nullable String group) {
		try {
			return group == null || group.equals(found.message().envelope().group());
		}
		catch (UnreadableRecordException unknown) {
			return true;
		}
	}

	private MessageDescriptor describe(FoundMessage found, boolean payloadShown) {
		MessageRecord message = null;
		String unreadable = null;
		try {
			message = found.message();
		}
		catch (UnreadableRecordException problem) {
			unreadable = problem.getMessage();
		}
		String queue = found.partition().queue();
		Envelope envelope = (message != null) ? message.envelope() : null;
		MessageState state = found.state();
		boolean pending = state == MessageState.PENDING;
		FailureRecord failure = found.failure();
		Instant place = (found.placeMillis() >= 0) ? Instant.ofEpochMilli(found.placeMillis()) : null;
		Instant due = (message != null) ? Instant.ofEpochMilli(message.dueMillis()) : null;
		return new MessageDescriptor(queue, found.id(), (envelope != null) ? envelope.group() : null,
				found.partition().number(), state, due,
				(state == MessageState.SCHEDULED) ? ((place != null) ? place : due) : null,
				(pending || state == MessageState.READY) ? Instant.ofEpochMilli(found.readyMillis()) : null,
				(state == MessageState.DEAD) ? place : null, pending ? found.consumer() : null,
				pending ? found.idleMillis() : null, failure.attempts(), failure.failures(), failure.crashes(),
				failure.defers(), this.contents.failure(queue, found.id(), failure),
				(envelope != null) ? this.contents.headers(queue, found.id(), envelope.headers()) : Map.of(),
				(envelope != null) ? this.contents.payload(queue, found.id(), envelope.payload(), payloadShown) : null,
				unreadable);
	}

	private int partitions(String queue) {
		int partitions = this.directory.partitions(queue);
		if (partitions == 0) {
			throw new UnknownException(UnknownException.What.QUEUE);
		}
		return partitions;
	}

}
