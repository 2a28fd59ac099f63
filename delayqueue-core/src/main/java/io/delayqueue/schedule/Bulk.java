package io.delayqueue.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleAnswer;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.CallRetry;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;

/**
 * Schedules a list of messages with several calls to Redis, each for messages of one
 * partition. Each call is limited in messages and bytes, so that no script runs long. The
 * answers are returned in the order of the messages.
 *
 * <p>
 * Each partition is called once before any failed call is repeated, even after the
 * deadline: a partition whose Redis node is unreachable must not use up the time of the
 * other partitions. When two partitions in a row were unreachable and the deadline has
 * passed, {@code Bulk} does not call the remaining partitions.
 */
final class Bulk {

	private static final int MOST_MESSAGES = 500;

	private static final int MOST_BYTES = 1 << 20;

	private static final int UNREACHABLE_LIMIT = 2;

	private final Sender sender;

	/** The queues with a partition that this call has used for the first time. */
	private final Set<QueueSettings> firstUsed = new HashSet<>();

	Bulk(Sender sender) {
		this.sender = sender;
	}

	List<ScheduleAnswer> send(List<OutgoingMessage> all, CallRetry attempts) {
		this.sender.registerAll(all, attempts);
		List<OutgoingMessage> asked = new ArrayList<>(all);
		@Nullable ScheduleAnswer[] answers = new ScheduleAnswer[all.size()];
		List<Integer> left = IntStream.range(0, all.size()).boxed().toList();
		while (!left.isEmpty()) {
			send(asked, left, attempts, answers);
			left = left.stream().filter((index) -> answers[index] == null).toList();
			left = redirect(asked, left, attempts, answers);
		}
		this.sender.registerAgain(this.firstUsed);
		return Arrays.stream(answers).map(Objects::requireNonNull).toList();
	}

	/**
	 * Determines the partition to which each message is sent next. If the epochs (the
	 * partition counts of the queue) cannot be read, all messages get this failure as
	 * their answer, so that the read is not tried again for each message.
	 * @return the indexes of the messages to send
	 */
	private List<Integer> redirect(List<OutgoingMessage> asked, List<Integer> left, CallRetry attempts,
			@Nullable ScheduleAnswer[] answers) {
		try {
			left.forEach((index) -> asked.set(index, this.sender.next(asked.get(index), attempts)));
			return left;
		}
		catch (StoreException failed) {
			left.forEach((index) -> answers[index] = this.sender.failure(asked.get(index), failed));
			return List.of();
		}
	}

	/**
	 * Sends messages to their partitions and stores the answers in an array. The answer
	 * of a message stays {@code null} if the partition has answered that the message
	 * belongs to another partition.
	 */
	private void send(List<OutgoingMessage> all, List<Integer> left, CallRetry attempts,
			@Nullable ScheduleAnswer[] answers) {
		Map<Partition, List<Integer>> indexes = new LinkedHashMap<>();
		left.forEach((index) -> indexes.computeIfAbsent(all.get(index).partition(), (partition) -> new ArrayList<>())
			.add(index));
		Map<List<Integer>, CallRetry> unanswered = new LinkedHashMap<>();
		int unreachable = 0;
		for (List<Integer> ofOnePartition : indexes.values()) {
			boolean isReachable = unreachable < UNREACHABLE_LIMIT || !attempts.isOver();
			for (List<Integer> batch : batches(all, ofOnePartition)) {
				CallRetry ofBatch = attempts.ofAnother(isReachable);
				Optional<List<@Nullable ScheduleAnswer>> answered = isReachable
						? this.sender.sendOnce(outgoing(all, batch), ofBatch, this.firstUsed) : Optional.empty();
				answered.ifPresent((received) -> put(received, batch, answers));
				isReachable = answered.isPresent();
				if (!isReachable) {
					unanswered.put(batch, ofBatch);
				}
			}
			unreachable = isReachable ? 0 : unreachable + 1;
		}
		unanswered.forEach((batch, ofBatch) -> put(this.sender.send(outgoing(all, batch), ofBatch, this.firstUsed),
				batch, answers));
	}

	private static List<OutgoingMessage> outgoing(List<OutgoingMessage> all, List<Integer> batch) {
		return batch.stream().map(all::get).toList();
	}

	private static void put(List<@Nullable ScheduleAnswer> received, List<Integer> batch,
			@Nullable ScheduleAnswer[] answers) {
		for (int i = 0; i < batch.size(); i++) {
			answers[batch.get(i)] = received.get(i);
		}
	}

	private static List<List<Integer>> batches(List<OutgoingMessage> all, List<Integer> indexes) {
		List<List<Integer>> batches = new ArrayList<>();
		List<Integer> batch = new ArrayList<>();
		Set<StoredId> ids = new HashSet<>();
		int bytes = 0;
		for (int index : indexes) {
			int size = all.get(index).message().envelope().length;
			boolean full = batch.size() == MOST_MESSAGES || (!batch.isEmpty() && bytes + size > MOST_BYTES);
			// Send two messages with the same id and group in two calls to Redis, so that
			// Redis
			// applies them in the order of the list
			if (full || ids.contains(all.get(index).message().storedId())) {
				batches.add(batch);
				batch = new ArrayList<>();
				ids.clear();
				bytes = 0;
			}
			ids.add(all.get(index).message().storedId());
			batch.add(index);
			bytes += size;
		}
		batches.add(batch);
		return batches;
	}

}
