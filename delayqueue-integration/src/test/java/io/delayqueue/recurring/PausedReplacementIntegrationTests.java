package io.delayqueue.recurring;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.engine.TestEngines;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.NewDefinition;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RecurringCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A paused schedule that several calls replace at the same time.
 */
class PausedReplacementIntegrationTests {

	private static final String QUEUE = "reports";

	private final String prefix = "paused-" + UUID.randomUUID();

	private final RecurringSchedule schedule = RecurringSchedule.to(QUEUE, "a").payload("p").every(Duration.ofDays(1));

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@Test
	void aPauseThatMeetsAnotherReplacementIsKept() {
		DelayQueueEngine engine = this.engines.engine(this.prefix, PausedReplacementIntegrationTests::settings);
		RecurringOperations recurring = engine.recurring();
		RecurringCalls calls = new RecurringCalls(engine.calls());
		recurring.createOrReplace(this.schedule.group(groupOf(0)));
		recurring.pause(QUEUE, "a");
		Instant stored = recurring.get(QUEUE, "a").orElseThrow().state().storedAt();
		NewDefinition first = replacement(stored.plusMillis(1));
		NewDefinition second = replacement(stored.plusMillis(2));
		Epochs epochs = engine.directory().read(QUEUE).orElseThrow();
		Partition home = new Partition(QUEUE, 1);
		// The second call has replaced the definition of the first one, which has not
		// taken over the pause yet
		calls.put(home, epochs, settings(QUEUE), second, Instant.now().plus(Duration.ofDays(1)), false, true);

		OlderDefinitions older = engine.recurringAdvancer().older();
		assertThat(older.remove(home, epochs, "a", first.storedMicros(), first.generation())).isFalse();
		assertThat(older.remove(home, epochs, "a", second.storedMicros(), second.generation())).isTrue();

		List<RecurringSnapshot> left = recurring.list(QUEUE, null, 10).schedules();
		assertThat(left).extracting(RecurringSnapshot::group).containsExactly(groupOf(1));
		assertThat(left.get(0).pausedSince()).isPresent();
	}

	private NewDefinition replacement(Instant stored) {
		return new NewDefinition("a", CallToken.next(), stored.toEpochMilli() * 1000, stored.toEpochMilli() * 1000,
				groupOf(1),
				new RecurringFields(this.schedule.recurrence(), MissedPolicy.LATEST, OverlapPolicy.ALLOW, "", null),
				"\np".getBytes(StandardCharsets.UTF_8));
	}

	private static String groupOf(int partition) {
		return Stream.iterate("g", (last) -> last + "g")
			.filter((group) -> Partitioner.of("a", group, 2) == partition)
			.findFirst()
			.orElseThrow();
	}

	private static QueueSettings settings(String queue) {
		return TestEngines.settings(queue, 2);
	}

}
