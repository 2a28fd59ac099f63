package io.delayqueue.fleet;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.delayqueue.CancelResult;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleResult.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The expected answers of a queue whose partition count changes. The test records which
 * partition has a message; everything else follows from the calls.
 */
final class GrowthOracle {

	/** The most messages of a group, dead letters aside. */
	static final int QUOTA = 2;

	private final Map<String, Expected> messages = new TreeMap<>();

	/** The epochs that remember a finished id. */
	private final Map<String, Set<Integer>> finished = new HashMap<>();

	/**
	 * A stored message.
	 *
	 * @param key its key
	 * @param isDead whether it is a dead letter
	 * @param epoch the epoch that has it
	 */
	record Expected(MessageKey key, boolean isDead, int epoch) {
	}

	Map<String, Expected> messages() {
		return this.messages;
	}

	@Nullable Expected get(String id) {
		return this.messages.get(id);
	}

	/** The messages of a group that count against its quota. */
	List<Expected> waiting(String group) {
		return this.messages.values()
			.stream()
			.filter((message) -> group.equals(message.key().group()) && !message.isDead())
			.toList();
	}

	boolean isFull(MessageKey key) {
		return key.group() != null && waiting(key.group()).size() >= QUOTA;
	}

	/**
	 * The answer of a schedule call that keeps a known message, null if it is refused.
	 */
	@Nullable Outcome keep(MessageKey key) {
		Expected message = get(GrowthSequence.name(key));
		Set<Integer> marks = this.finished.getOrDefault(GrowthSequence.name(key), Set.of());
		if (message == null) {
			return !marks.isEmpty() ? Outcome.DONE : isFull(key) ? null : Outcome.CREATED;
		}
		// An older partition is called first
		if (marks.stream().anyMatch((epoch) -> epoch < message.epoch())) {
			return Outcome.DONE;
		}
		return message.isDead() ? Outcome.DEAD_LETTER : Outcome.DUPLICATE;
	}

	/** The answer of a call that replaces a known message, null if it is refused. */
	@Nullable Outcome replace(MessageKey key) {
		Expected message = get(GrowthSequence.name(key));
		if (message == null || message.isDead()) {
			return isFull(key) ? null : (message == null) ? Outcome.CREATED : Outcome.REPLACED;
		}
		return Outcome.REPLACED;
	}

	CancelResult cancel(String id) {
		Expected message = get(id);
		return (message == null) ? CancelResult.NOT_FOUND
				: message.isDead() ? CancelResult.DEAD_LETTER : CancelResult.CANCELLED;
	}

	RescheduleResult reschedule(String id) {
		Expected message = get(id);
		return (message == null) ? RescheduleResult.NOT_FOUND
				: message.isDead() ? RescheduleResult.DEAD_LETTER : RescheduleResult.RESCHEDULED;
	}

	@Nullable MessageState find(String id) {
		Expected message = get(id);
		return (message == null) ? null : message.isDead() ? MessageState.DEAD : MessageState.SCHEDULED;
	}

	void stored(MessageKey key, int epoch) {
		this.messages.put(GrowthSequence.name(key), new Expected(key, false, epoch));
	}

	void died(String id) {
		this.messages.computeIfPresent(id, (key, message) -> new Expected(message.key(), true, message.epoch()));
	}

	void carried(String id, int epoch) {
		this.messages.computeIfPresent(id, (key, message) -> new Expected(message.key(), message.isDead(), epoch));
	}

	void removed(String id) {
		this.messages.remove(id);
	}

	/** A message was handled; its epoch may or may not remember the finished id. */
	void handled(String id, boolean isRemembered) {
		Expected message = this.messages.remove(id);
		if (message != null) {
			Set<Integer> marks = this.finished.computeIfAbsent(id, (absent) -> new HashSet<>());
			if (isRemembered) {
				marks.add(message.epoch());
			}
			else {
				marks.remove(message.epoch());
			}
		}
	}

}
