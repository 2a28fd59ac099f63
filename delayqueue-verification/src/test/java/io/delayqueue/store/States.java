package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Scenario.Given;
import org.jspecify.annotations.Nullable;

/**
 * States of a partition with message {@code a}, some of them also with {@code b} and
 * {@code c}. All are due in the past.
 */
final class States {

	/** The due time of the messages. */
	static final long DUE = 2_000;

	/** A time in the year 2100. */
	static final long FAR = 4_102_444_800_000L;

	/**
	 * The relative expiry of messages that have one: ends in the year 2098.
	 */
	static final Duration LIFE = Duration.ofDays(46_750);

	/** The failures of two earlier deliveries. */
	static final String FAILED_TWICE = "2|1|0|7-0|it broke";

	/** The crashes of two silent consumers. */
	static final String CRASHED_TWICE = "0|2|0||";

	private States() {
	}

	static Given nothing() {
		return (partition) -> List.of();
	}

	static Given scheduled(String... ids) {
		return (partition) -> {
			for (String id : ids) {
				partition.store().schedule(TestMessages.made(TestMessages.message(id, DUE, 1)));
			}
			return List.of();
		};
	}

	static Given scheduledIn(String group, String... ids) {
		return (partition) -> {
			for (String id : ids) {
				partition.store().schedule(TestMessages.message(id, DUE, group, 1));
			}
			return List.of();
		};
	}

	static Given ready(String... ids) {
		return scheduled(ids).andThen((partition, held) -> {
			partition.store().sweep();
			return held;
		});
	}

	static Given pending(String... ids) {
		return ready(ids).andThen((partition, held) -> partition.store().read("holder"));
	}

	static Given dead() {
		return pending("a").andThen((partition, held) -> {
			partition.store().deadLetter(held.get(0), "it broke");
			return List.of();
		});
	}

	static Given finished() {
		return pending("a").andThen((partition, held) -> {
			partition.store().acknowledge(held.get(0));
			return List.of();
		});
	}

	/** Cancelled while pending, and scheduled again. */
	static Given replacedWhilePending() {
		return pending("a").andThen((partition, held) -> {
			partition.store().cancel("a", 50);
			partition.store().schedule("a", DUE, 2);
			return held;
		});
	}

	/** Cancelled while pending, scheduled again, and the new message is pending too. */
	static Given pendingTwice() {
		return replacedWhilePending().andThen((partition, held) -> {
			Entry current = partition.store().take("second").get(0);
			return List.of(held.get(0), current);
		});
	}

	/** A message without its record, but with all other data. */
	static Given ghost(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("HDEL", Key.MESSAGES, "a");
			partition.command("HSET", Key.FAILURES, "a", FAILED_TWICE);
			return held;
		});
	}

	/** A schedule script stopped before it wrote the record. */
	static Given withoutRecord(String id, Given state) {
		return state.andThen((partition, held) -> {
			partition.command("HDEL", Key.MESSAGES, id);
			return held;
		});
	}

	/** Deliveries have failed before. */
	static Given failedTwice(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("HSET", Key.FAILURES, "a", FAILED_TWICE);
			return held;
		});
	}

	/** Also scheduled: a release stopped half-way. */
	static Given alsoScheduled(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE), "a");
			return held;
		});
	}

	/** Also scheduled for later: a retry stopped half-way. */
	static Given alsoScheduledFar(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("ZADD", Key.SCHEDULED, Long.toString(FAR), "a");
			return held;
		});
	}

	/** Also dead: a dead-lettering stopped half-way. */
	static Given alsoDead(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("ZADD", Key.DEAD, "3000", "a");
			return held;
		});
	}

	/** The first held entry is deleted from the stream, and still pending. */
	static Given entryDeleted(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("XDEL", Key.READY, held.get(0).entry());
			return held;
		});
	}

	/** Reclaimed twice before. */
	static Given crashedTwice(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("HSET", Key.FAILURES, "a", CRASHED_TWICE);
			return held;
		});
	}

	/** Two ids have finished, and their windows have ended. */
	static Given windowsEnded(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("ZADD", Key.DONE, "1000", "x", "1001", "y");
			return held;
		});
	}

	/** Nothing is swept until a resume. */
	static Given paused(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("HSET", Key.CONTROL, "paused", "1000");
			return held;
		});
	}

	/** Held until the far future. */
	static Given held(Given state) {
		return state.andThen((partition, held) -> {
			new Holds(partition.store().calls()).hold(partition.store().partition(), hold(null, FAR));
			return held;
		});
	}

	/** A hold by a handler. */
	static QueueHold hold(@Nullable String group, long untilMillis) {
		return new QueueHold("orders", group, Instant.ofEpochMilli(untilMillis), By.HANDLER, "worker-1", "429");
	}

	/** No new message is accepted until a reopen. */
	static Given draining(Given state) {
		return state.andThen((partition, held) -> {
			partition.command("HSET", Key.CONTROL, "draining", "1000");
			return held;
		});
	}

}
