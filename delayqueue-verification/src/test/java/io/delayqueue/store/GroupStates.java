package io.delayqueue.store;

import java.util.List;
import java.util.Map;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Scenario.Given;

/**
 * States of a partition whose messages belong to group {@code g}, of which one at a time
 * may be ready or pending. All are due in the past and have an expiry relative to their
 * due time.
 */
final class GroupStates {

	/** The due time of the messages in these states. */
	static final long DUE = States.DUE;

	static final GroupSettings STRICT = new GroupSettings(0, false, false, 1, null, null, Map.of());

	/** A quota of two; more messages are refused. */
	static final GroupSettings FULL = new GroupSettings(2, false, false, 1, null, null, Map.of());

	/** A quota of two; the oldest message is dropped. */
	static final GroupSettings DROPPING = new GroupSettings(2, true, false, 1, null, null, Map.of());

	/** A quota of two; dead letters count. */
	static final GroupSettings COUNTING = new GroupSettings(2, false, true, 1, null, null, Map.of());

	static final String GROUP = "g";

	private GroupStates() {
	}

	/** A message of the group, with an expiry. */
	static NewMessage message(String id, long dueMillis, int token) {
		return TestMessages.expiring(TestMessages.message(id, dueMillis, GROUP, token), Expiry.after(States.LIFE));
	}

	static Given scheduled(String... ids) {
		return (partition) -> {
			for (String id : ids) {
				partition.store().schedule(message(id, DUE, 1));
			}
			return List.of();
		};
	}

	/** Waits for the year 2100. */
	static Given scheduledFar(String id) {
		return (partition) -> {
			partition.store().schedule(message(id, States.FAR, 1));
			return List.of();
		};
	}

	/** The first one is ready, the rest is parked. */
	static Given ready(String... ids) {
		return scheduled(ids).andThen((partition, held) -> {
			partition.store().with(STRICT).sweep();
			return held;
		});
	}

	/** The first one is pending, the rest is parked. */
	static Given pending(String... ids) {
		return ready(ids).andThen((partition, held) -> partition.store().read("holder"));
	}

	/**
	 * The message is parked behind a pending one, and another one is parked behind it.
	 */
	static Given parked() {
		return pending("0", "a", "b");
	}

	/** Parked, and no message is left that would unpark them. */
	static Given parkedWithoutHead(String... ids) {
		return scheduled(ids).andThen((partition, held) -> {
			for (String id : ids) {
				alsoParked(id, partition);
				partition.command("ZREM", Key.SCHEDULED, id);
			}
			return held;
		});
	}

	static Given dead() {
		return pending("a").andThen((partition, held) -> {
			partition.store().deadLetter(held.get(0), "it broke");
			return List.of();
		});
	}

	/** Several dead letters without slots in the quota. */
	static Given allDead(String... ids) {
		return scheduled(ids).andThen((partition, held) -> {
			partition.store().take("holder").forEach((entry) -> partition.store().deadLetter(entry, "it broke"));
			return List.of();
		});
	}

	/** A dead letter that keeps its slot in the quota. */
	static Given deadThatCounts() {
		return pending("a").andThen((partition, held) -> {
			partition.store().with(COUNTING).deadLetter(held.get(0), "it broke");
			return List.of();
		});
	}

	/** Replaced while pending, and swept again. */
	static Given pendingTwice() {
		return pending("a").andThen((partition, held) -> {
			partition.store().schedule(TestMessages.onDuplicate(DuplicatePolicy.replace(), message("a", DUE, 2)));
			Entry current = partition.store().with(STRICT).take("second").get(0);
			return List.of(held.get(0), current);
		});
	}

	/** Also parked: a sweep stopped half-way. */
	static Given alsoParked(Given state) {
		return state.andThen((partition, held) -> {
			alsoParked("a", partition);
			return held;
		});
	}

	private static void alsoParked(String id, TestPartition partition) {
		partition.command("ZADD", Key.PARKED, "0", GroupDump.member(GROUP, DUE, id));
	}

}
