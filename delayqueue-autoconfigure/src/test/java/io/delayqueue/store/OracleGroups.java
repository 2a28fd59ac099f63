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
 * Who has a place in a group and who waits for one, for the oracle.
 */
final class OracleGroups {

	/** So many groups are looked at by a sweep for parked ones. */
	private static final int GROUPS = 20;

	/** So many parked ones come back to a group at once. */
	private static final int BACK = 50;

	private final Map<String, OracleMessage> messages;

	OracleGroups(Map<String, OracleMessage> messages) {
		this.messages = messages;
	}

	/** The messages of a group, the first due first. */
	List<OracleMessage> of(String group) {
		return members(group).toList();
	}

	/** How many of a group have a place in its quota. */
	long count(String group) {
		return members(group).filter(OracleMessage::hasPlace).count();
	}

	/** Who is ready or pending no more lets the next one go; says how many did. */
	int free(OracleMessage message) {
		return free(message, false);
	}

	/**
	 * The same of one that may have been brought back for a place that is free: then the
	 * next one comes for it.
	 */
	int free(OracleMessage message, boolean wasNext) {
		String group = message.group();
		if (group == null || !(message.isActive() || wasNext)) {
			return 0;
		}
		message.active(false);
		return back(group, 1);
	}

	/** Lets parked ones of a group have another chance; says how many did. */
	private int back(String group, int most) {
		List<OracleMessage> back = parked(group).limit(most).toList();
		back.forEach((message) -> message.released(message.dueMillis()));
		return back.size();
	}

	/** A sweep's view of who may go on. */
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

	/** What one sweep lets in, parks, and brings back. */
	final class Admission {

		private final Limits limits;

		private final Map<String, Integer> free = new HashMap<>();

		private final Map<String, Integer> back = new HashMap<>();

		/** The groups in which somebody was parked before this sweep. */
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

		/** Whether a message that is due becomes ready; it is parked else. */
		boolean lets(OracleMessage message) {
			String group = message.group();
			if (group == null || message.isActive()) {
				return true;
			}
			int room = room(group);
			if (room <= 0) {
				return false;
			}
			List<OracleMessage> older = members(group).takeWhile((other) -> other != message).toList();
			if (older.stream().anyMatch((other) -> other.is(MessageState.PARKED))) {
				this.back.put(group, Math.min(room, BACK));
				return false;
			}
			if (this.limits.of(group) == 1 && older.stream().filter(OracleMessage::hasPlace).anyMatch(this::isNext)) {
				return false;
			}
			this.free.put(group, room - 1);
			return true;
		}

		private boolean isNext(OracleMessage message) {
			return message.isNext(this.nowMillis);
		}

		private int room(String group) {
			return this.free.computeIfAbsent(group,
					(name) -> this.limits.of(name) - (int) members(name).filter(OracleMessage::isActive).count());
		}

		/** Looks for groups with room; says behind which one to go on. */
		String look(String behind, boolean paused) {
			List<String> next = this.waiting.stream()
				.filter((group) -> behind.isEmpty() || group.compareTo(behind) > 0)
				.limit(GROUPS)
				.toList();
			for (String group : next) {
				if (room(group) > 0 && !paused) {
					this.back.put(group, Math.min(room(group), BACK));
				}
			}
			return (next.size() == GROUPS) ? next.get(GROUPS - 1) : "";
		}

		/** Brings back who was found to have room, about a batch in all. */
		void bringBack(int batchSize) {
			int share = Math.max(1, batchSize / Math.max(1, this.back.size()));
			this.back.forEach((group, most) -> back(group, Math.min(most, share)));
		}

	}

}
