package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Stores messages in a partition. One atomic script stores the messages of a call, safe
 * to repeat; it throws {@link StoreException}. {@link KnownMessages} has the calls on
 * stored messages.
 */
public final class ScheduledMessages {

	/** The most messages of one call. */
	public static final int MAX_BATCH = 1000;

	private static final int FIRST_ANSWER = 6;

	/** Precedes the stream entry of a replaced message that a consumer holds. */
	private static final int HELD = -1;

	private final RedisCalls calls;

	private final PartitionClock clock;

	private final HeldMessages held;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public ScheduledMessages(RedisCalls calls) {
		this(calls, HeldMessages.IGNORED);
	}

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 * @param held takes the stream entries of messages that are replaced while a consumer
	 * holds them
	 */
	public ScheduledMessages(RedisCalls calls, HeldMessages held) {
		this.calls = calls;
		this.clock = new PartitionClock(calls);
		this.held = held;
	}

	/** The outcome of storing a message, named as in the scripts. */
	public enum Stored {

		/** The message was stored by this call. */
		CREATED,

		/** The message was stored in place of the message with its id. */
		REPLACED,

		/**
		 * The message replaced the message with its id, and its due time was postponed.
		 */
		POSTPONED,

		/** An earlier run of this call stored the message, which was replaced since. */
		SUPERSEDED,

		/** An earlier run of this call stored the message, which has ended since. */
		ENDED,

		/** A message with this id exists, and has not finished. */
		DUPLICATE,

		/** The id must be new, but a message with this id is scheduled. */
		SCHEDULED,

		/** The id must be new, but a message with this id is parked. */
		PARKED,

		/** The id must be new, but a message with this id is ready. */
		READY,

		/** The id must be new, but a message with this id is pending. */
		PENDING,

		/** A message with this id has finished, and Redis still keeps the id. */
		DONE,

		/** The message with this id is a dead letter. */
		DEAD,

		/** The due time of the message is later than {@code max-delay} from now. */
		TOO_FAR,

		/** The message would expire before its due time. */
		EXPIRES,

		/** The group of the message has used up its quota. */
		FULL,

		/** The id belongs to a message of another group. */
		ANOTHER_GROUP,

		/** The partition is draining, so it does not accept the new message. */
		DRAINING,

		/** The partition is closed: the message belongs to a newer epoch. */
		ELSEWHERE

	}

	/**
	 * The answer to storing one message.
	 *
	 * @param stored the outcome
	 * @param dueMillis when the message is due, ms since 1970; 0 if it was not accepted,
	 * -1 if an earlier run of this call stored it with a delay and it no longer exists
	 * @param dropped the ids of the oldest messages of its group, which were dropped to
	 * make room for it
	 */
	public record Answer(Stored stored, long dueMillis, List<String> dropped) {
	}

	/**
	 * The answers to storing messages in one call.
	 *
	 * @param nowMicros the time of Redis, us since 1970
	 * @param newHead whether one of the messages is now the first one due in the
	 * partition
	 * @param firstUse whether this was the first use of the partition
	 * @param drainingSinceMillis since when the partition accepts no new message, ms
	 * since 1970, 0 if it does
	 * @param unparked number of parked messages that are scheduled again, because their
	 * group has room
	 * @param answers one answer for each message, in the order of the messages
	 */
	public record Answers(long nowMicros, boolean newHead, boolean firstUse, long drainingSinceMillis, long unparked,
			List<Answer> answers) {
	}

	/**
	 * Stores messages of one partition.
	 * @param partition the partition
	 * @param epochs the epochs of the queue
	 * @param settings the settings of the queue
	 * @param messages 1 to {@value #MAX_BATCH} messages; no generated id occurs twice
	 * @return the outcome for each message
	 */
	public Answers schedule(Partition partition, Epochs epochs, QueueSettings settings, List<NewMessage> messages) {
		if (messages.stream().anyMatch(NewMessage::isCounted)) {
			PartitionClock.Reading clock = this.clock.read(partition);
			return schedule(partition, epochs, settings,
					messages.stream().map((message) -> message.by(clock)).toList());
		}
		boolean isCurrent = partition.epoch() == epochs.current().number();
		return (isCurrent && messages.stream().allMatch(NewMessage::isNew))
				? scheduleNew(partition, epochs, settings, messages)
				: scheduleAny(partition, epochs, settings, messages);
	}

	private Answers scheduleNew(Partition partition, Epochs epochs, QueueSettings settings, List<NewMessage> messages) {
		List<Object> arguments = new ArrayList<>();
		messages.forEach((message) -> Collections.addAll(arguments, message.id(), message.due(), message.envelope()));
		Reply reply = this.calls.run(StoreScript.SCHEDULE_NEW, partition, count(partition, epochs), settings.maxDelay(),
				arguments);
		if (reply.is("created")) {
			return allCreated(reply, messages);
		}
		try {
			return scheduleAny(partition, epochs, settings, messages);
		}
		catch (StoreException failure) {
			// The driver may have sent the first call twice, so that the known id is its
			// own
			throw reply.is("known") ? failure.ofARepeat() : failure;
		}
	}

	private Answers scheduleAny(Partition partition, Epochs epochs, QueueSettings settings, List<NewMessage> messages) {
		List<@Nullable Object> arguments = new ArrayList<>();
		messages.forEach((message) -> Collections.addAll(arguments, message.id(), message.due(), message.group(),
				message.expiry(), message.policy(), message.envelope()));
		Reply reply = this.calls.run(StoreScript.SCHEDULE, partition, count(partition, epochs), settings.maxDelay(),
				settings.groups().quota(), settings.groups().dropOldest() ? "drop-oldest" : "reject",
				settings.doneWindowOfGenerated(), epochs.after(partition.epoch()), this.calls.process(), arguments);
		if (reply.is("created")) {
			return allCreated(reply, messages);
		}
		int end = FIRST_ANSWER + 2 * messages.size();
		List<Answer> answers = new ArrayList<>(messages.size());
		for (int at = FIRST_ANSWER; at < end; at += 2) {
			answers.add(
					new Answer(reply.word(Stored.class, at), reply.number(at + 1), paired(reply, end, answers.size())));
		}
		List<String> entries = paired(reply, end, HELD);
		if (!entries.isEmpty()) {
			this.held.removed(partition, entries);
		}
		return new Answers(reply.number(1), reply.number(2) == 1, reply.number(3) == 1, reply.number(4),
				reply.number(5), answers);
	}

	static int count(Partition partition, Epochs epochs) {
		return epochs.epochs()
			.stream()
			.filter((epoch) -> epoch.number() == partition.epoch())
			.findFirst()
			.orElse(epochs.current())
			.partitions();
	}

	private static Answers allCreated(Reply reply, List<NewMessage> messages) {
		long nowMicros = reply.number(1);
		return new Answers(nowMicros, reply.number(2) == 1, false, 0, 0,
				messages.stream()
					.map((message) -> new Answer(Stored.CREATED, message.due().millis(nowMicros), List.of()))
					.toList());
	}

	/**
	 * Returns the texts behind a number, such as the ids dropped for the message of that
	 * number.
	 */
	private static List<String> paired(Reply reply, int from, int number) {
		List<String> paired = new ArrayList<>(0);
		for (int i = from; i < reply.size(); i += 2) {
			if (reply.number(i) == number) {
				paired.add(reply.text(i + 1));
			}
		}
		return paired;
	}

}
