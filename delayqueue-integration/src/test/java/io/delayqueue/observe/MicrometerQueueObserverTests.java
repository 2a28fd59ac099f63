package io.delayqueue.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.CancelResult;
import io.delayqueue.ScheduleResult;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.delayqueue.observe.QueueObserver.NotScheduled;
import io.delayqueue.observe.QueueStatistics.Stock;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.StoredId;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MicrometerQueueObserverTests {

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final Map<String, Stock> stocks = new ConcurrentHashMap<>();

	private final Map<String, Integer> owned = new ConcurrentHashMap<>();

	private final MicrometerQueueObserver observer = new MicrometerQueueObserver(this.registry, this.stocks::get,
			(queue) -> this.owned.getOrDefault(queue, 0));

	@Test
	void registeredMetersMatchTheList() {
		everyEvent("orders");

		List<String> listed = new ArrayList<>();
		for (DelayQueueMeters meter : DelayQueueMeters.values()) {
			String line = meter.meterName() + " " + meter.type() + " '" + meter.description() + "' in '"
					+ meter.baseUnit() + "' queue=orders";
			if (meter.tag().isEmpty()) {
				listed.add(line);
			}
			meter.tagValues().forEach((value) -> listed.add(line + " " + meter.tag() + "=" + value));
		}
		assertThat(this.registry.getMeters()).extracting(MicrometerQueueObserverTests::line)
			.containsExactlyInAnyOrderElementsOf(listed);
	}

	@Test
	void namesAreLowercaseWithThePrefixAndHaveDescriptions() {
		for (DelayQueueMeters meter : DelayQueueMeters.values()) {
			assertThat(meter.meterName()).matches("delayqueue(\\.[a-z]+)+");
			assertThat(meter.description()).isNotBlank();
			assertThat(meter.tagValues()).allMatch((value) -> value.matches("[a-z]+(_[a-z]+)*"));
		}
	}

	@Test
	void everyEventIncrementsItsMeter() {
		everyEvent("orders");
		this.observer.scheduled("orders", ScheduleResult.Outcome.DUPLICATE);
		this.observer.notScheduled("orders", NotScheduled.UNKNOWN);
		this.observer.notScheduled("orders", NotScheduled.QUOTA_EXCEEDED);
		this.observer.dropped("orders", "g", "n");
		this.observer.cancelled("orders", CancelResult.IN_FLIGHT);
		this.observer.expired("orders", new StoredId("n", null), MessageExpiredEvent.Outcome.DROPPED);

		assertThat(count("scheduled", "outcome", "duplicate")).isEqualTo(2);
		assertThat(count("scheduled", "outcome", "created")).isEqualTo(1);
		assertThat(count("scheduled", "outcome", "dead_letter")).isEqualTo(1);
		assertThat(count("scheduled", "outcome", "unknown")).isEqualTo(2);
		assertThat(count("scheduled", "outcome", "rejected")).isEqualTo(1);
		assertThat(count("scheduled", "outcome", "quota_exceeded")).isEqualTo(2);
		assertThat(count("scheduled", "outcome", "duplicate_refused")).isEqualTo(1);
		assertThat(count("scheduled", "outcome", "replaced")).isEqualTo(1);
		assertThat(count("scheduled", "outcome", "postponed")).isEqualTo(1);
		assertThat(count("dropped")).isEqualTo(2);
		assertThat(count("expired", "outcome", "dropped")).isEqualTo(2);
		assertThat(count("expired", "outcome", "dead_lettered")).isEqualTo(1);
		assertThat(count("expired", "outcome", "handed_over")).isEqualTo(1);
		assertThat(count("cancelled", "result", "in_flight")).isEqualTo(2);
		assertThat(count("cancelled", "result", "not_found")).isEqualTo(1);
		assertThat(count("swept")).isEqualTo(5);
		assertThat(count("superseded")).isEqualTo(1);
		assertThat(count("released")).isEqualTo(3);
		assertThat(count("repaired", "damage", "no_place")).isEqualTo(4);
		assertThat(count("repaired", "damage", "lost")).isEqualTo(4);
		assertThat(timer("lateness").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(40);
		assertThat(this.registry.get("delayqueue.batch.size").tag("queue", "orders").summary().totalAmount())
			.isEqualTo(12);
		assertThat(timer("handled", "outcome", "failure").count()).isEqualTo(1);
		assertThat(timer("handled", "outcome", "failure").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(70);
		assertThat(timer("handled", "outcome", "unreadable").count()).isEqualTo(1);
	}

	@Test
	void queueContentsAreGaugedAndNaNWhileUnknown() {
		this.observer.consuming("orders", () -> 0);
		assertThat(gauge("messages", "state", "dead")).isNaN();
		assertThat(gauge("overdue")).isNaN();
		assertThat(gauge("overdue.age")).isNaN();

		this.stocks.put("orders", new Stock(9, 7, 5, 4, 3, 2, Duration.ofMillis(61_500), Duration.ofMillis(2_500),
				Duration.ofMillis(1), Duration.ofMillis(4_500), 6, Duration.ZERO));
		assertThat(gauge("messages", "state", "scheduled")).isEqualTo(9);
		assertThat(gauge("messages", "state", "parked")).isEqualTo(7);
		assertThat(gauge("messages", "state", "ready")).isEqualTo(4);
		assertThat(gauge("messages", "state", "pending")).isEqualTo(3);
		assertThat(gauge("messages", "state", "dead")).isEqualTo(2);
		assertThat(gauge("overdue")).isEqualTo(5);
		assertThat(gauge("overdue.age")).isEqualTo(61.5);
		assertThat(gauge("paused")).isEqualTo(2.5);
		assertThat(gauge("draining")).isEqualTo(0.001);
		assertThat(gauge("held")).isEqualTo(4.5);
		assertThat(gauge("held.groups")).isEqualTo(6);

		this.stocks.clear();
		assertThat(gauge("messages", "state", "scheduled")).isNaN();
	}

	@Test
	void inFlightIsThatOfTheRunningConsumer() {
		this.observer.consuming("orders", () -> 3);
		assertThat(gauge("in.flight")).isEqualTo(3);
		this.observer.notConsuming("orders");
		assertThat(gauge("in.flight")).isZero();
		this.observer.consuming("orders", () -> 5);
		assertThat(gauge("in.flight")).isEqualTo(5);
	}

	@Test
	void ownedPartitionsAreReadWithEachScrape() {
		this.observer.consuming("orders", () -> 0);
		assertThat(gauge("partitions.owned")).isZero();
		this.owned.put("orders", 3);
		assertThat(gauge("partitions.owned")).isEqualTo(3);
		this.owned.remove("orders");
		assertThat(gauge("partitions.owned")).isZero();
	}

	@Test
	void gaugesOfProducerQueuesAreLimitedButThoseOfConsumedQueuesAreNot() {
		for (int i = 0; i < 120; i++) {
			this.observer.scheduled("customer-" + i, ScheduleResult.Outcome.CREATED);
		}
		this.observer.consuming("orders", () -> 0);

		assertThat(this.registry.get("delayqueue.overdue").gauges()).hasSize(101);
		assertThat(gauge("overdue")).isNaN();
		assertThat(this.registry.get("delayqueue.scheduled").tag("outcome", "created").counters()).hasSize(120);
	}

	@Test
	void countersOfFurtherProducerQueuesAppearWhenTheyCount() {
		for (int i = 0; i < 101; i++) {
			this.observer.scheduled("q-" + i, ScheduleResult.Outcome.CREATED);
		}
		this.observer.scheduled("q-100", ScheduleResult.Outcome.DUPLICATE);

		assertThat(counters("q-99")).hasSizeGreaterThan(10);
		assertThat(counters("q-100")).extracting((counter) -> counter.getId().getTag("outcome"))
			.containsExactlyInAnyOrder("created", "duplicate");
	}

	private Collection<Counter> counters(String queue) {
		return Search.in(this.registry).tag("queue", queue).counters();
	}

	@Test
	void processThatOnlySchedulesHasNoConsumerMeters() {
		this.observer.scheduled("orders", ScheduleResult.Outcome.CREATED);

		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getName())
			.containsOnly("delayqueue.scheduled", "delayqueue.dropped", "delayqueue.cancelled", "delayqueue.messages",
					"delayqueue.overdue", "delayqueue.overdue.age", "delayqueue.paused", "delayqueue.draining",
					"delayqueue.held", "delayqueue.held.groups");
		assertThat(count("cancelled", "result", "cancelled")).isZero();
	}

	@Test
	void queuesAreCountedSeparately() {
		this.observer.swept("orders", 2);
		this.observer.swept("pushes", 3);

		assertThat(count("swept")).isEqualTo(2);
		assertThat(this.registry.get("delayqueue.swept").tag("queue", "pushes").counter().count()).isEqualTo(3);
	}

	@Test
	void onlyTheFirstEventOfAQueueAccessesTheRegistry() {
		everyEvent("orders");
		this.registry.clear();
		everyEvent("orders");

		assertThat(this.registry.getMeters()).isEmpty();
	}

	private void everyEvent(String queue) {
		for (ScheduleResult.Outcome outcome : ScheduleResult.Outcome.values()) {
			this.observer.scheduled(queue, outcome);
		}
		for (NotScheduled reason : NotScheduled.values()) {
			this.observer.notScheduled(queue, reason);
		}
		this.observer.dropped(queue, "g", "m");
		for (CancelResult result : CancelResult.values()) {
			this.observer.cancelled(queue, result);
		}
		this.observer.consuming(queue, () -> 2);
		this.observer.notConsuming(queue);
		this.observer.swept(queue, 5);
		this.observer.delivered(queue, Duration.ofMillis(40));
		this.observer.batched(queue, 12);
		for (HandlerOutcome outcome : HandlerOutcome.values()) {
			this.observer.handled(queue, outcome, Duration.ofMillis(70));
		}
		for (MessageExpiredEvent.Outcome outcome : MessageExpiredEvent.Outcome.values()) {
			this.observer.expired(queue, new StoredId("m", null), outcome);
		}
		this.observer.superseded(queue);
		this.observer.released(queue, 3);
		this.observer.reclaimed(queue, false);
		this.observer.reclaimed(queue, true);
		this.observer.leaseLost(queue, new StoredId("m", null));
		for (Damage damage : Damage.values()) {
			this.observer.repaired(queue, damage, Collections.nCopies(4, new StoredId("a", null)));
		}
	}

	private double count(String name, String... tags) {
		return this.registry.get("delayqueue." + name).tag("queue", "orders").tags(tags).counter().count();
	}

	private double gauge(String name, String... tags) {
		return this.registry.get("delayqueue." + name).tag("queue", "orders").tags(tags).gauge().value();
	}

	private Timer timer(String name, String... tags) {
		return this.registry.get("delayqueue." + name).tag("queue", "orders").tags(tags).timer();
	}

	private static String line(Meter meter) {
		StringBuilder line = new StringBuilder(meter.getId().getName() + " " + meter.getId().getType() + " '"
				+ meter.getId().getDescription() + "' in '" + Objects.toString(meter.getId().getBaseUnit(), "")
				+ "' queue=" + meter.getId().getTag("queue"));
		for (Tag tag : meter.getId().getTags()) {
			if (!tag.getKey().equals("queue")) {
				line.append(" ").append(tag.getKey()).append("=").append(tag.getValue());
			}
		}
		return line.toString();
	}

}
