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
 * Stores new messages in a partition. Each call stores its messages in one atomic script,
 * is safe to repeat, and throws {@link StoreException}. {@link KnownMessages} has the
 * calls about stored messages.
 */
public final class ScheduledMessages {

	/** The most messages that one call stores. */
	public static final int MAX_BATCH = 1000;

	private static final int FIRST_ANSWER = 6;

	/**
	 * In the reply, this number precedes the stream entry of each replaced message that a
	 * consumer held.
	 */
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
	 * @param held receives the stream entries of messages that are replaced while a
	 * consumer holds them
	 */
	public ScheduledMessages(RedisCalls calls, HeldMessages held) {
		this.calls = calls;
		this.clock = new PartitionClock(calls);
		this.held = held;
	}

	/** What a call has done with a message. The names are those in the scripts. */
	public enum Stored {

		/** This call, or an earlier run of the call, stored the message. */
		CREATED,

		/** The message was stored in place of another message with the same id. */
		REPLACED,

		/** Like {@link #REPLACED}, and the due time was postponed. */
		POSTPONED,

		/**
		 * An earlier run of this call stored the message, and another message has
		 * replaced it since.
		 */
		SUPERSEDED,

		/** An earlier run of this call stored the message, which has ended since. */
		ENDED,

		/**
		 * Nothing was stored, because a message with this id exists and has not finished.
		 */
		DUPLICATE,

		/**
		 * Nothing was stored, because the id must be new, but a message with this id is
		 * scheduled.
		 */
		SCHEDULED,

		/**
		 * Nothing was stored, because the id must be new, but a message with this id is
		 * parked.
		 */
		PARKED,

		/**
		 * Nothing was stored, because the id must be new, but a message with this id is
		 * ready.
		 */
		READY,

		/**
		 * Nothing was stored, because the id must be new, but a message with this id is
		 * pending.
		 */
		PENDING,

		/**
		 * Nothing was stored, because a message with this id has finished, and Redis
		 * still keeps the id.
		 */
		DONE,

		/** Nothing was stored, because a dead letter has this id. */
		DEAD,

		/**
		 * Nothing was stored, because the due time of the message is later than
		 * {@code max-delay} from now.
		 */
		TOO_FAR,

		/** Nothing was stored, because the message would expire before its due time. */
		EXPIRES,

		/** Nothing was stored, because the group of the message has used up its quota. */
		FULL,

		/** Nothing was stored, because the partition is draining. */
		DRAINING,

		/**
		 * Nothing was stored, because the partition is closed: the message belongs to a
		 * newer epoch.
		 */
		ELSEWHERE

	}

	/**
	 * What a call has done with one message.
	 *
	 * @param stored whether and how the message was stored
	 * @param dueMillis when the message is due, ms since 1970; 0 if the message was not
	 * stored, -1 if an earlier run of this call stored the message, with a delay or a
	 * policy that postpones, and the message does not exist any more
	 * @param dropped the ids of the oldest messages of the group, which were dropped
	 * because the group had used up its quota
	 */
	public record Answer(Stored stored, long dueMillis, List<String> dropped) {
	}

	/**
	 * The reply of Redis to a call that stores messages.
	 *
	 * @param nowMicros the time of Redis, us since 1970
	 * @param newHead whether one of the messages is now the first one due in the
	 * partition
	 * @param firstUse whether this was the first use of the partition
	 * @param drainingSinceMillis since when the partition accepts no new message, ms
	 * since 1970, 0 if it accepts messages
	 * @param unparked number of parked messages that this call scheduled again, because
	 * their group has a free slot
	 * @param answers what the call has done with each message, in the order of the
	 * messages
	 */
	public record Answers(long nowMicros, boolean newHead, boolean firstUse, long drainingSinceMillis, long unparked,
			List<Answer> answers) {
	}

	/**
	 * Stores messages in a partition.
	 * @param partition the partition
	 * @param epochs the epochs of the queue
	 * @param settings the settings of the queue
	 * @param messages 1 to {@value #MAX_BATCH} messages; no generated id occurs twice
	 * @return what the call has done with each message
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
		messages
			.forEach((message) -> Collections.addAll(arguments, message.storedId(), message.due(), message.envelope()));
		Reply reply = this.calls.run(StoreScript.SCHEDULE_NEW, partition, count(partition, epochs), settings.maxDelay(),
				arguments);
		if (reply.is("created")) {
			return allCreated(reply, messages);
		}
		try {
			return scheduleAny(partition, epochs, settings, messages);
		}
		catch (StoreException failure) {
			// The driver may have sent the first call twice: then the script may have
			// found an id that its own first run has stored
			throw reply.is("known") ? failure.ofARepeat() : failure;
		}
	}

	private Answers scheduleAny(Partition partition, Epochs epochs, QueueSettings settings, List<NewMessage> messages) {
		List<@Nullable Object> arguments = new ArrayList<>();
		messages.forEach((message) -> Collections.addAll(arguments, message.storedId(), message.due(), message.group(),
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
			List<String> dropped = paired(reply, end, answers.size()).stream()
				.map((index) -> reply.id(index).id())
				.toList();
			answers.add(new Answer(reply.word(Stored.class, at), reply.number(at + 1), dropped));
		}
		List<String> entries = paired(reply, end, HELD).stream().map(reply::text).toList();
		if (!entries.isEmpty()) {
			this.held.removed(partition, entries, Hint.Kind.REPLACED);
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
		return new Answers(nowMicros, reply.number(2) == 1, reply.number(3) == 1, 0, 0,
				messages.stream()
					.map((message) -> new Answer(Stored.CREATED, message.due().millis(nowMicros), List.of()))
					.toList());
	}

	/**
	 * Returns the indexes behind a given number in the reply. The index of a new message
	 * precedes the id of each message that was dropped to make room for it; {@link #HELD}
	 * precedes stream entries.
	 */
	private static List<Integer> paired(Reply reply, int from, int number) {
		List<Integer> paired = new ArrayList<>(0);
		for (int i = from; i < reply.size(); i += 2) {
			if (reply.number(i) == number) {
				paired.add(i + 1);
			}
		}
		return paired;
	}

}
