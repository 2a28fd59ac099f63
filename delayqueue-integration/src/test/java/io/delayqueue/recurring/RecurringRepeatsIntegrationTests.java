package io.delayqueue.recurring;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.engine.TestEngines;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.NewDefinition;
import io.delayqueue.store.Partitioner;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Turns and calls that meet a change of another thread or process, and are repeated.
 */
class RecurringRepeatsIntegrationTests {

	private static final String QUEUE = "digests";

	private static final String TWO_PARTITIONS = "reports";

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	private DelayQueueEngine engine;

	@BeforeEach
	void connect() {
		this.engine = this.engines.engine("repeats-" + UUID.randomUUID(), RecurringRepeatsIntegrationTests::settings);
	}

	@Test
	void aTurnThatEndsWhileItsQueueIsConsumedAgainIsContinued() {
		QueueConsumer consumer = this.engine.consumers().create(settings(QUEUE), (delivery) -> null, null, null);
		consumer.start();
		this.engine.recurring()
			.createOrReplace(RecurringSchedule.to(QUEUE, "a").payload("p").every(Duration.ofSeconds(1)));
		Partition partition = new Partition(QUEUE, 0);
		var partitions = this.engine.recurringAdvancer().partitions;
		await().until(() -> partitions.containsKey(partition) && last() != null);

		// The turn has found that the queue is not consumed, which has changed since
		Objects.requireNonNull(partitions.get(partition)).end();

		Instant before = Objects.requireNonNull(last());
		await().until(() -> Objects.requireNonNull(last()).isAfter(before.plusSeconds(1)));
		consumer.stop(Duration.ofSeconds(10));
	}

	@Test
	void aDefinitionWhoseFirstInstantPassesBeforeItIsStoredBeginsWithTheNext() {
		RecurringSchedule schedule = RecurringSchedule.to(QUEUE, "a").payload("p").every(Duration.ofMinutes(1));
		Instant read = Instant.ofEpochMilli(System.currentTimeMillis() - 90_000);
		NewDefinition definition = new NewDefinition("a", CallToken.next(), read.toEpochMilli() * 1000,
				read.toEpochMilli() * 1000, null,
				new RecurringFields(schedule.recurrence(), MissedPolicy.LATEST, OverlapPolicy.ALLOW, "", null),
				"\np".getBytes(StandardCharsets.UTF_8));

		RecurringTemplate recurring = (RecurringTemplate) this.engine.recurring();
		assertThat(recurring.definitions.put(settings(QUEUE), definition)).isEqualTo(RecurringResult.CREATED);

		RecurringSnapshot stored = recurring.get(QUEUE, "a").orElseThrow();
		assertThat(stored.state().storedAt()).isAfter(read.plusSeconds(60));
		assertThat(stored.next()).contains(read.plusSeconds(120));
	}

	@Test
	void aReplacementWithAnotherGroupKeepsThePause() {
		RecurringSchedule schedule = RecurringSchedule.to(TWO_PARTITIONS, "a").payload("p").every(Duration.ofDays(1));
		this.engine.recurring().createOrReplace(schedule.group(groupOf(0)));
		this.engine.recurring().pause(TWO_PARTITIONS, "a");

		this.engine.recurring().createOrReplace(schedule.group(groupOf(1)));

		List<RecurringSnapshot> stored = this.engine.recurring().list(TWO_PARTITIONS, null, 10).schedules();
		assertThat(stored).extracting(RecurringSnapshot::group).containsExactly(groupOf(1));
		assertThat(stored.get(0).pausedSince()).isPresent();
		assertThat(stored.get(0).next()).isEmpty();
		assertThat(this.engine.recurring().resume(TWO_PARTITIONS, "a")).isTrue();
		assertThat(this.engine.recurring().get(TWO_PARTITIONS, "a").orElseThrow().next()).isPresent();
	}

	@Test
	void ofTwoReplacementsWithDifferentGroupsTheLaterOneStays() {
		RecurringSchedule schedule = RecurringSchedule.to(TWO_PARTITIONS, "a")
			.payload("p")
			.every(Duration.ofDays(1))
			.missed(MissedPolicy.ALL);
		this.engine.recurring().createOrReplace(schedule.group(groupOf(1)));
		RecurringTemplate recurring = (RecurringTemplate) this.engine.recurring();
		Instant later = recurring.get(TWO_PARTITIONS, "a").orElseThrow().state().storedAt();
		NewDefinition earlier = new NewDefinition("a", CallToken.next(), later.minusMillis(1).toEpochMilli() * 1000,
				later.minusMillis(1).toEpochMilli() * 1000, groupOf(0),
				new RecurringFields(schedule.recurrence(), MissedPolicy.LATEST, OverlapPolicy.ALLOW, "", null),
				"\np".getBytes(StandardCharsets.UTF_8));

		recurring.definitions.put(settings(TWO_PARTITIONS), earlier);

		assertThat(recurring.list(TWO_PARTITIONS, null, 10).schedules()).extracting(RecurringSnapshot::group)
			.containsExactly(groupOf(1));
		assertThat(this.engine.operations().countGroup(TWO_PARTITIONS, groupOf(0))).isZero();
		assertThat(this.engine.operations().countGroup(TWO_PARTITIONS, groupOf(1))).isOne();
	}

	private static String groupOf(int partition) {
		return Stream.iterate("g", (last) -> last + "g")
			.filter((group) -> Partitioner.of("a", group, 2) == partition)
			.findFirst()
			.orElseThrow();
	}

	private Instant last() {
		return this.engine.recurring().get(QUEUE, "a").orElseThrow().state().lastInstant();
	}

	private static QueueSettings settings(String queue) {
		return TestEngines.settings(queue, queue.equals(TWO_PARTITIONS) ? 2 : 1);
	}

}
