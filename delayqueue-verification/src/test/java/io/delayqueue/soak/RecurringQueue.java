package io.delayqueue.soak;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.RecurringSchedule;
import org.jspecify.annotations.Nullable;

/**
 * A third queue of the soak, with recurring schedules and a history. The payload of an
 * occurrence is the version of its definition.
 */
final class RecurringQueue {

	static final String NAME = "recurring";

	static final String BEGIN = "recurring-begin";

	static final String END = "recurring-end";

	private RecurringQueue() {
	}

	/**
	 * A definition.
	 *
	 * @param version its number among all of the soak
	 * @param group the group of its occurrences, {@code null} for none
	 * @param every the interval
	 * @param from the first instant
	 * @param until the end of the instants
	 * @param isSkipping whether no occurrence overlaps with the last one
	 */
	record Definition(int version, @Nullable String group, Duration every, Instant from, Instant until,
			boolean isSkipping) {

		RecurringSchedule of(String key) {
			RecurringSchedule schedule = RecurringSchedule.to(NAME, key)
				.payload(Integer.toString(this.version))
				.every(this.every)
				.from(this.from)
				.until(this.until)
				.missed(MissedPolicy.ALL)
				.overlap(this.isSkipping ? OverlapPolicy.SKIP : OverlapPolicy.ALLOW);
			return (this.group != null) ? schedule.group(this.group) : schedule;
		}

		boolean has(long millis) {
			return millis >= this.from.toEpochMilli() && millis <= this.until.toEpochMilli()
					&& (millis - this.from.toEpochMilli()) % this.every.toMillis() == 0;
		}

		/** Its instants between two times, without these, ms. */
		LongStream between(long after, long before) {
			long first = this.from.toEpochMilli();
			long passed = Math.max(0, Math.floorDiv(after - first, this.every.toMillis()) + 1);
			return LongStream
				.iterate(first + passed * this.every.toMillis(), (millis) -> millis + this.every.toMillis())
				.takeWhile((millis) -> millis < before && millis <= this.until.toEpochMilli());
		}

	}

	/** What a call changes. */
	enum Operation {

		PUT, PAUSE, RESUME, DELETE, RUN,

		/** Removes the waiting messages of the queue. */
		PURGE,

		/** Removes those of a group. */
		CANCEL_GROUP;

		/** Whether it removes messages, and changes no schedule. */
		boolean removes() {
			return this == PURGE || this == CANCEL_GROUP;
		}

	}

	/**
	 * A call for a key, repeated until Redis has answered.
	 *
	 * @param key the key; the queue or the group if the call removes messages
	 * @param operation the operation
	 * @param definition the definition to store, else {@code null}
	 * @param calledMillis before the first attempt, ms since 1970
	 * @param answeredMillis after the answer, ms since 1970
	 * @param answer the id of the message that was run, the number of removed messages,
	 * else whether the schedule was found
	 */
	record Call(String key, Operation operation, @Nullable Definition definition, long calledMillis,
			long answeredMillis, String answer) {
	}

	static String id(String key, long millis) {
		return key + "@" + Instant.ofEpochMilli(millis);
	}

	/** The settings of its consumers. */
	static List<String> arguments() {
		String prefix = "--delayqueue.queues." + NAME + ".";
		return List.of(prefix + "history.for=1h", prefix + "history.at-most=100000");
	}

}
