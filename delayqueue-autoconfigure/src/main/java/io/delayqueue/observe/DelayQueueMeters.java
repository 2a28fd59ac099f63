package io.delayqueue.observe;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.delayqueue.CancelResult;
import io.delayqueue.MessageExpiredEvent;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleResult;
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
 * All meters of this library, and what each tells. Every one has the tag {@code queue};
 * some have a second one, whose values are a closed set.
 */
@SuppressWarnings("ImmutableEnumChecker") // the lists of tag values cannot be changed
enum DelayQueueMeters {

	SCHEDULED(Meter.Type.COUNTER, "Messages given to schedule, by what became of them; unknown: may be stored",
			"outcome", Stream.concat(constants(ScheduleResult.Outcome.values()), constants(NotScheduled.values()))),

	DROPPED(Meter.Type.COUNTER, "Messages removed unhandled, to make room for newer ones of their groups"),

	CANCELLED(Meter.Type.COUNTER, "Messages that were to be cancelled, by what became of them", "result",
			constants(CancelResult.values())),

	SWEPT(Meter.Type.COUNTER, "Messages that became ready"),

	LATENESS(Meter.Type.TIMER, "For how long messages had been due when a handler got them for the first time"),

	BATCH_SIZE(Meter.Type.DISTRIBUTION_SUMMARY, "Messages that batch listeners were handed at once"),

	HANDLED(Meter.Type.TIMER, "For how long handlers had messages, by how it ended", "outcome",
			constants(HandlerOutcome.values())),

	EXPIRED(Meter.Type.COUNTER, "Messages that had expired before their attempt could begin, by what became of them",
			"outcome", constants(MessageExpiredEvent.Outcome.values())),

	SUPERSEDED(Meter.Type.COUNTER, "Settlements that did not count: the message belonged to another delivery"),

	RELEASED(Meter.Type.COUNTER, "Messages that were read and given back without being handled"),

	RECLAIMED(Meter.Type.COUNTER, "Messages taken back from silent consumers, by where they went", "place",
			Stream.of("scheduled", "dead")),

	LEASE_LOST(Meter.Type.COUNTER, "Messages whose lease was lost while their handler ran"),

	ABANDONED(Meter.Type.COUNTER, "Messages whose handler ran for longer than max-processing-time: the attempt failed"),
	REPAIRED(Meter.Type.COUNTER, "Messages that somebody had damaged in Redis, by what was wrong; lost: not delivered",
			"damage", constants(Damage.values())),

	MESSAGES(Meter.Type.GAUGE, "Messages that the queue holds, by state, as of a moment ago; scheduled: due or not",
			"state",
			constants(MessageState.SCHEDULED, MessageState.PARKED, MessageState.READY, MessageState.PENDING,
					MessageState.DEAD)),

	OVERDUE(Meter.Type.GAUGE, "Scheduled messages whose due time has passed"),

	OVERDUE_AGE(Meter.Type.GAUGE,
			"For how long the oldest message that no handler has had has been due, overdue or ready"),

	PAUSED(Meter.Type.GAUGE, "For how long the queue has been paused in all processes; 0 while it is not"),

	DRAINING(Meter.Type.GAUGE, "For how long the queue has accepted nothing new; 0 while it does"),

	IN_FLIGHT(Meter.Type.GAUGE, "Messages that handlers of this process have");

	private static final String PREFIX = "delayqueue.";

	private static final String QUEUE = "queue";

	private final Meter.Type type;

	private final String description;

	private final String tag;

	private final List<String> tagValues;

	DelayQueueMeters(Meter.Type type, String description) {
		this(type, description, "", Stream.empty());
	}

	DelayQueueMeters(Meter.Type type, String description, String tag, Stream<String> tagValues) {
		this.type = type;
		this.description = description;
		this.tag = tag;
		this.tagValues = tagValues.toList();
	}

	/** The name in the registry. */
	String meterName() {
		return PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '.');
	}

	Meter.Type type() {
		return this.type;
	}

	String description() {
		return this.description;
	}

	/** What it is measured in, empty for plain numbers. */
	String baseUnit() {
		return switch (this) {
			case LATENESS, HANDLED, OVERDUE_AGE, PAUSED, DRAINING -> "seconds";
			default -> "";
		};
	}

	/** The key of the second tag, empty if there is none. */
	String tag() {
		return this.tag;
	}

	/** All values of the second tag. */
	List<String> tagValues() {
		return this.tagValues;
	}

	Counter counter(MeterRegistry registry, String queue) {
		return counter(registry, Tags.of(QUEUE, queue));
	}

	/** The counter for one value of the second tag. */
	Counter counter(MeterRegistry registry, String queue, String value) {
		return counter(registry, Tags.of(QUEUE, queue, this.tag, value));
	}

	DistributionSummary summary(MeterRegistry registry, String queue) {
		return DistributionSummary.builder(meterName())
			.description(this.description)
			.tags(Tags.of(QUEUE, queue))
			.register(registry);
	}

	Timer timer(MeterRegistry registry, String queue) {
		return timer(registry, Tags.of(QUEUE, queue));
	}

	/** The timer for one value of the second tag. */
	Timer timer(MeterRegistry registry, String queue, String value) {
		return timer(registry, Tags.of(QUEUE, queue, this.tag, value));
	}

	/** A gauge of plain numbers. */
	void gauge(MeterRegistry registry, String queue, Supplier<Number> number) {
		gauge(registry, Tags.of(QUEUE, queue), number);
	}

	/** A gauge of plain numbers for one value of the second tag. */
	void gauge(MeterRegistry registry, String queue, String value, Supplier<Number> number) {
		gauge(registry, Tags.of(QUEUE, queue, this.tag, value), number);
	}

	/** A gauge of times. */
	void secondsGauge(MeterRegistry registry, String queue, Supplier<Number> seconds) {
		TimeGauge.builder(meterName(), seconds, TimeUnit.SECONDS)
			.description(this.description)
			.tags(Tags.of(QUEUE, queue))
			.register(registry);
	}

	private void gauge(MeterRegistry registry, Tags tags, Supplier<Number> number) {
		Gauge.builder(meterName(), number).description(this.description).tags(tags).register(registry);
	}

	private Counter counter(MeterRegistry registry, Tags tags) {
		return Counter.builder(meterName()).description(this.description).tags(tags).register(registry);
	}

	private Timer timer(MeterRegistry registry, Tags tags) {
		return Timer.builder(meterName()).description(this.description).tags(tags).register(registry);
	}

	/** The value of the second tag that stands for a constant. */
	static String value(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

	private static Stream<String> constants(Enum<?>... constants) {
		return Arrays.stream(constants).map(DelayQueueMeters::value);
	}

}
