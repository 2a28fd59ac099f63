package io.delayqueue.schedule;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.delayqueue.ScheduleAnswer;
import io.delayqueue.redis.CallRetry;
import io.delayqueue.store.Partition;

/**
 * Splits a list of messages into calls of one partition each, bounded in messages and
 * bytes so that no script runs long, and returns the answers in the order of the
 * messages.
 *
 * <p>
 * Each partition is tried once before any call is repeated, even after the deadline,
 * because a partition whose node is unreachable must not use up the time of the other
 * partitions. When two partitions in a row were unreachable and the deadline has passed,
 * the remaining partitions are not tried.
 */
final class Bulk {

	private static final int MOST_MESSAGES = 500;

	private static final int MOST_BYTES = 1 << 20;

	private static final int UNREACHABLE_LIMIT = 2;

	private final Sender sender;

	Bulk(Sender sender) {
		this.sender = sender;
	}

	List<ScheduleAnswer> send(List<OutgoingMessage> all, CallRetry attempts) {
		Map<Partition, List<Integer>> indexes = new LinkedHashMap<>();
		for (int i = 0; i < all.size(); i++) {
			indexes.computeIfAbsent(all.get(i).partition(), (partition) -> new ArrayList<>()).add(i);
		}
		ScheduleAnswer[] answers = new ScheduleAnswer[all.size()];
		Map<List<Integer>, CallRetry> unanswered = new LinkedHashMap<>();
		int unreachable = 0;
		for (List<Integer> ofOnePartition : indexes.values()) {
			boolean isReachable = unreachable < UNREACHABLE_LIMIT || !attempts.isOver();
			for (List<Integer> batch : batches(all, ofOnePartition)) {
				CallRetry ofBatch = attempts.ofAnother(isReachable);
				Optional<List<ScheduleAnswer>> answered = isReachable
						? this.sender.sendOnce(outgoing(all, batch), ofBatch) : Optional.empty();
				answered.ifPresent((received) -> put(received, batch, answers));
				isReachable = answered.isPresent();
				if (!isReachable) {
					unanswered.put(batch, ofBatch);
				}
			}
			unreachable = isReachable ? 0 : unreachable + 1;
		}
		unanswered.forEach((batch, ofBatch) -> put(this.sender.send(outgoing(all, batch), ofBatch), batch, answers));
		return List.of(answers);
	}

	private static List<OutgoingMessage> outgoing(List<OutgoingMessage> all, List<Integer> batch) {
		return batch.stream().map(all::get).toList();
	}

	private static void put(List<ScheduleAnswer> received, List<Integer> batch, ScheduleAnswer[] answers) {
		for (int i = 0; i < batch.size(); i++) {
			answers[batch.get(i)] = received.get(i);
		}
	}

	private static List<List<Integer>> batches(List<OutgoingMessage> all, List<Integer> indexes) {
		List<List<Integer>> batches = new ArrayList<>();
		List<Integer> batch = new ArrayList<>();
		Set<String> ids = new HashSet<>();
		int bytes = 0;
		for (int index : indexes) {
			int size = all.get(index).message().envelope().length;
			boolean full = batch.size() == MOST_MESSAGES || (!batch.isEmpty() && bytes + size > MOST_BYTES);
			// Two messages with the same id go in two calls, so that Redis applies them
			// in order
			if (full || ids.contains(all.get(index).id())) {
				batches.add(batch);
				batch = new ArrayList<>();
				ids.clear();
				bytes = 0;
			}
			ids.add(all.get(index).id());
			batch.add(index);
			bytes += size;
		}
		batches.add(batch);
		return batches;
	}

}
