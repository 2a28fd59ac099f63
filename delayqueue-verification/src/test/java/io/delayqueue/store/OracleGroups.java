package io.delayqueue.store;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.delayqueue.MessageState;

/**
 * Which messages have a slot in a group and which wait for one, for the oracle.
 */
final class OracleGroups {

	/** The number of groups that a sweep searches for parked messages. */
	private static final int GROUPS = 20;

	/** The most messages of a group that are unparked at once. */
	private static final int BACK = 50;

	private final Map<String, OracleMessage> messages;

	OracleGroups(Map<String, OracleMessage> messages) {
		this.messages = messages;
	}

	/** The messages of a group, the first due first. */
	List<OracleMessage> of(String group) {
		return members(group).toList();
	}

	/** How many messages have a slot in the quota of a group. */
	long count(String group) {
		return members(group).filter(OracleMessage::hasSlot).count();
	}

	/**
	 * Frees the active slot of a message for the next one; returns how many were
	 * unparked.
	 */
	int free(OracleMessage message) {
		return free(message, false);
	}

	/**
	 * As above, for a message that may have been unparked for a free slot: then the next
	 * one gets the slot.
	 */
	int free(OracleMessage message, boolean wasNext) {
		String group = message.group();
		if (group == null || !(message.isActive() || wasNext)) {
			return 0;
		}
		message.active(false);
		return back(group, 1);
	}

	/** Unparks messages of a group; returns how many. */
	private int back(String group, int most) {
		List<OracleMessage> back = parked(group).limit(most).toList();
		back.forEach((message) -> message.released(message.dueMillis()));
		return back.size();
	}

	/** A sweep's decisions on which messages become ready. */
	Admission admission(Limits limits, long nowMillis) {
		return new Admission(limits, nowMillis);
	}

	private Stream<OracleMessage> members(String group) {
		return this.messages.values()
			.stream()
			.filter((message) -> Objects.equals(message.group(), group))
			.sorted(Comparator.comparingLong(OracleMessage::dueMillis).thenComparing(OracleMessage::id));
	}

	private Stream<OracleMessage> parked(String group) {
		return members(group).filter((message) -> message.is(MessageState.PARKED));
	}

	/** The most messages of a group that are ready or pending. */
	@FunctionalInterface
	interface Limits {

		/**
		 * The limit of a group.
		 * @param group the group
		 * @return 1 or more
		 */
		int of(String group);

	}

	/** The messages that one sweep moves, parks and unparks. */
	final class Admission {

		private final Limits limits;

		private final Map<String, Integer> free = new HashMap<>();

		private final Map<String, Integer> back = new HashMap<>();

		/** The groups with messages that were parked before this sweep. */
		private final TreeSet<String> waiting = new TreeSet<>();

		private final long nowMillis;

		private Admission(Limits limits, long nowMillis) {
			this.limits = limits;
			this.nowMillis = nowMillis;
			OracleGroups.this.messages.values().forEach((message) -> {
				String group = message.group();
				if (group != null && message.is(MessageState.PARKED)) {
					this.waiting.add(group);
				}
			});
		}

		/** Whether a due message becomes ready; else it is parked. */
		boolean lets(OracleMessage message) {
			String group = message.group();
			if (group == null || message.isActive()) {
				return true;
			}
			int freeSlots = freeSlots(group);
			if (freeSlots <= 0) {
				return false;
			}
			List<OracleMessage> older = members(group).takeWhile((other) -> other != message).toList();
			if (older.stream().anyMatch((other) -> other.is(MessageState.PARKED))) {
				this.back.put(group, Math.min(freeSlots, BACK));
				return false;
			}
			if (this.limits.of(group) == 1 && older.stream().filter(OracleMessage::hasSlot).anyMatch(this::isNext)) {
				return false;
			}
			this.free.put(group, freeSlots - 1);
			return true;
		}

		private boolean isNext(OracleMessage message) {
			return message.isNext(this.nowMillis);
		}

		private int freeSlots(String group) {
			return this.free.computeIfAbsent(group,
					(name) -> this.limits.of(name) - (int) members(name).filter(OracleMessage::isActive).count());
		}

		/**
		 * Searches for groups with a free slot; returns the group behind which to
		 * continue.
		 */
		String findFreeGroups(String behind, boolean paused) {
			List<String> next = this.waiting.stream()
				.filter((group) -> behind.isEmpty() || group.compareTo(behind) > 0)
				.limit(GROUPS)
				.toList();
			for (String group : next) {
				if (freeSlots(group) > 0 && !paused) {
					this.back.put(group, Math.min(freeSlots(group), BACK));
				}
			}
			return (next.size() == GROUPS) ? next.get(GROUPS - 1) : "";
		}

		/** Unparks messages of the groups found, about a batch in all. */
		void bringBack(int batchSize) {
			int share = Math.max(1, batchSize / Math.max(1, this.back.size()));
			this.back.forEach((group, most) -> back(group, Math.min(most, share)));
		}

	}

}
