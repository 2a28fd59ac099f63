package io.delayqueue.schedule;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.delayqueue.ScheduleAnswer;
import io.delayqueue.store.CallRetry;
import io.delayqueue.store.Partition;

/**
 * Cuts many messages into calls of one partition each, bounded in messages and bytes so
 * that no script runs long, and puts the answers back into the order of the messages.
 *
 * <p>
 * Each partition is tried once before any is tried again, also after the deadline: one
 * whose node is away must not use up the time of the others. When two in a row were away
 * and the deadline has passed, the rest is not tried.
 */
final class Bulk {

	private static final int MOST_MESSAGES = 500;

	private static final int MOST_BYTES = 1 << 20;

	private static final int ENOUGH = 2;

	private final Sender sender;

	Bulk(Sender sender) {
		this.sender = sender;
	}

	List<ScheduleAnswer> send(List<OutgoingMessage> all, CallRetry attempts) {
		Map<Partition, List<Integer>> places = new LinkedHashMap<>();
		for (int i = 0; i < all.size(); i++) {
			places.computeIfAbsent(all.get(i).partition(), (partition) -> new ArrayList<>()).add(i);
		}
		ScheduleAnswer[] answers = new ScheduleAnswer[all.size()];
		Map<List<Integer>, CallRetry> unanswered = new LinkedHashMap<>();
		int away = 0;
		for (List<Integer> ofPartition : places.values()) {
			boolean isThere = away < ENOUGH || !attempts.isOver();
			for (List<Integer> batch : batches(all, ofPartition)) {
				CallRetry ofBatch = attempts.ofAnother(isThere);
				Optional<List<ScheduleAnswer>> answered = isThere ? this.sender.sendOnce(outgoing(all, batch), ofBatch)
						: Optional.empty();
				answered.ifPresent((given) -> put(given, batch, answers));
				isThere = answered.isPresent();
				if (!isThere) {
					unanswered.put(batch, ofBatch);
				}
			}
			away = isThere ? 0 : away + 1;
		}
		unanswered.forEach((batch, ofBatch) -> put(this.sender.send(outgoing(all, batch), ofBatch), batch, answers));
		return List.of(answers);
	}

	private static List<OutgoingMessage> outgoing(List<OutgoingMessage> all, List<Integer> batch) {
		return batch.stream().map(all::get).toList();
	}

	private static void put(List<ScheduleAnswer> given, List<Integer> batch, ScheduleAnswer[] answers) {
		for (int i = 0; i < batch.size(); i++) {
			answers[batch.get(i)] = given.get(i);
		}
	}

	private static List<List<Integer>> batches(List<OutgoingMessage> all, List<Integer> places) {
		List<List<Integer>> batches = new ArrayList<>();
		List<Integer> batch = new ArrayList<>();
		Set<String> ids = new HashSet<>();
		int bytes = 0;
		for (int place : places) {
			int size = all.get(place).message().envelope().length;
			boolean full = batch.size() == MOST_MESSAGES || (!batch.isEmpty() && bytes + size > MOST_BYTES);
			// Whether one id replaces the other is for Redis to say, one after the other
			if (full || ids.contains(all.get(place).id())) {
				batches.add(batch);
				batch = new ArrayList<>();
				ids.clear();
				bytes = 0;
			}
			ids.add(all.get(place).id());
			batch.add(place);
			bytes += size;
		}
		batches.add(batch);
		return batches;
	}

}
