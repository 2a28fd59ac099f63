package io.delayqueue.observe;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.delayqueue.CancelResult;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleResult;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.delayqueue.observe.QueueObserver.NotScheduled;
import io.delayqueue.store.Repairs.Damage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;

/**
 * All meters of this library with their descriptions. Every meter has the tag
 * {@code queue}; some meters have a second tag with a closed set of values.
 */
@SuppressWarnings("ImmutableEnumChecker") // the lists of tag values cannot be changed
enum DelayQueueMeters {

	SCHEDULED(Meter.Type.COUNTER, "Messages passed to schedule, by outcome; unknown: the message may have been stored",
			"outcome", Stream.concat(Stream.of(ScheduleResult.Outcome.values()), Stream.of(NotScheduled.values()))),

	DROPPED(Meter.Type.COUNTER,
			"Messages removed without being handled to make room for newer messages of their group"),

	CANCELLED(Meter.Type.COUNTER, "Calls that cancel a message, by result", "result", Stream.of(CancelResult.values())),

	SWEPT(Meter.Type.COUNTER, "Messages that became ready"),

	LATENESS(Meter.Type.TIMER, "Time between the due time of a message and its first delivery to a handler"),

	BATCH_SIZE(Meter.Type.DISTRIBUTION_SUMMARY, "Number of messages passed to a batch listener in one call"),

	HANDLED(Meter.Type.TIMER, "Time that a handler spent on a message, by outcome", "outcome",
			Stream.of(HandlerOutcome.values())),

	EXPIRED(Meter.Type.COUNTER, "Messages that expired before an attempt could begin, by outcome", "outcome",
			Stream.of(MessageExpiredEvent.Outcome.values())),

	SUPERSEDED(Meter.Type.COUNTER, "Settlements that did not count because the message belonged to another delivery"),

	RELEASED(Meter.Type.COUNTER, "Messages that were read and released without being handled"),

	RECLAIMED(Meter.Type.COUNTER, "Messages reclaimed from consumers that stopped responding, by destination", "place",
			Stream.of(MessageState.SCHEDULED, MessageState.DEAD)),

	LEASE_LOST(Meter.Type.COUNTER, "Messages whose lease was lost while their handler ran"),

	ABANDONED(Meter.Type.COUNTER, "Messages whose handler ran longer than its timeout; the attempt failed"),

	RECURRING_MISSED(Meter.Type.COUNTER,
			"Instants of recurring schedules whose occurrence could not be stored in time"),

	RECURRING_SKIPPED(Meter.Type.COUNTER,
			"Instants of recurring schedules without an occurrence, because the last one had not ended"),

	REPAIRED(Meter.Type.COUNTER, "Messages whose keys in Redis were damaged, by damage; lost: cannot be repaired",
			"damage", Stream.of(Damage.values())),

	MESSAGES(Meter.Type.GAUGE, "Messages in the queue, by state, as of the last count; scheduled: whether due or not",
			"state",
			Stream.of(MessageState.SCHEDULED, MessageState.PARKED, MessageState.READY, MessageState.PENDING,
					MessageState.DEAD)),

	OVERDUE(Meter.Type.GAUGE, "Scheduled messages whose due time has passed"),

	OVERDUE_AGE(Meter.Type.GAUGE, "Time that the oldest overdue or ready message has been waiting for a handler"),

	PAUSED(Meter.Type.GAUGE, "Time since the queue was paused in all processes; 0 if it is not paused"),

	DRAINING(Meter.Type.GAUGE, "Time since the queue stopped accepting new messages; 0 if it accepts them"),

	HELD(Meter.Type.GAUGE, "Time until the hold of the whole queue ends; 0 if it is not held"),

	HELD_GROUPS(Meter.Type.GAUGE, "Groups with a hold"),

	IN_FLIGHT(Meter.Type.GAUGE, "Messages that the handlers of this process are handling"),

	PARTITIONS_OWNED(Meter.Type.GAUGE, "Partitions that this process reclaims, audits and repairs");

	private final Meter.Type type;

	private final String description;

	private final String tag;

	private final List<Enum<?>> values;

	DelayQueueMeters(Meter.Type type, String description) {
		this(type, description, "", Stream.empty());
	}

	DelayQueueMeters(Meter.Type type, String description, String tag, Stream<Enum<?>> values) {
		this.type = type;
		this.description = description;
		this.tag = tag;
		this.values = values.toList();
	}

	/** Name of the meter in the registry. */
	String meterName() {
		return "delayqueue." + name().toLowerCase(Locale.ROOT).replace('_', '.');
	}

	Meter.Type type() {
		return this.type;
	}

	String description() {
		return this.description;
	}

	/** Base unit of the meter; empty for a plain number. */
	String baseUnit() {
		return switch (this) {
			case LATENESS, HANDLED, OVERDUE_AGE, PAUSED, DRAINING, HELD -> "seconds";
			default -> "";
		};
	}

	/** Key of the second tag; empty if the meter has no second tag. */
	String tag() {
		return this.tag;
	}

	/** All values of the second tag; empty if the meter has no second tag. */
	List<String> tagValues() {
		return this.values.stream().map(DelayQueueMeters::value).toList();
	}

	/** Returns the value of the second tag of a meter for an enum constant. */
	static String value(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * The enum constants of the second tag, or this meter's own constant if it has no
	 * second tag.
	 */
	List<Enum<?>> constants() {
		return this.values.isEmpty() ? List.of(this) : this.values;
	}

	/**
	 * Registers a counter, timer or distribution summary for a queue and one of the
	 * {@link #constants}.
	 */
	Meter register(MeterRegistry registry, String queue, Enum<?> value) {
		Tags tags = tags(queue, value);
		return switch (this.type) {
			case COUNTER -> Counter.builder(meterName()).description(this.description).tags(tags).register(registry);
			case TIMER -> Timer.builder(meterName()).description(this.description).tags(tags).register(registry);
			case DISTRIBUTION_SUMMARY ->
				DistributionSummary.builder(meterName()).description(this.description).tags(tags).register(registry);
			default -> throw new IllegalStateException(this + " is a gauge");
		};
	}

	void gauge(MeterRegistry registry, String queue, Supplier<Number> number) {
		gauge(registry, queue, this, number);
	}

	/** Registers a gauge for one value of the second tag. */
	void gauge(MeterRegistry registry, String queue, Enum<?> value, Supplier<Number> number) {
		Tags tags = tags(queue, value);
		if (baseUnit().isEmpty()) {
			Gauge.builder(meterName(), number).description(this.description).tags(tags).register(registry);
		}
		else {
			TimeGauge.builder(meterName(), number, TimeUnit.SECONDS)
				.description(this.description)
				.tags(tags)
				.register(registry);
		}
	}

	private Tags tags(String queue, Enum<?> value) {
		Tags tags = Tags.of("queue", queue);
		return this.tag.isEmpty() ? tags : tags.and(this.tag, value(value));
	}

}
