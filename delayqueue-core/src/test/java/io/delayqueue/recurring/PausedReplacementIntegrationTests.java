package io.delayqueue.recurring;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.engine.TestEngines;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.NewDefinition;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RedisCalls;
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
		DelayQueueEngine engine = this.engines
			.add(DelayQueueEngine.builder(this.engines.template(), PausedReplacementIntegrationTests::settings)
				.keyPrefix(this.prefix)
				.build());
		RecurringTemplate recurring = (RecurringTemplate) engine.recurring();
		recurring.createOrReplace(this.schedule.group(groupOf(0)));
		recurring.pause(QUEUE, "a");
		Instant stored = recurring.get(QUEUE, "a").orElseThrow().state().storedAt();
		NewDefinition first = replacement(stored.plusMillis(1));
		NewDefinition second = replacement(stored.plusMillis(2));
		Epochs epochs = engine.directory().read(QUEUE).orElseThrow();
		Partition home = new Partition(QUEUE, 1);
		// The second call has replaced the definition of the first one, which has not
		// taken over the pause yet
		new RecurringCalls(new RedisCalls(this.engines.template(), new KeySpace(this.prefix))).put(home, epochs,
				settings(QUEUE), second, Instant.now().plus(Duration.ofDays(1)), false, true);

		OlderDefinitions older = recurring.definitions.older;
		assertThat(older.remove(home, epochs, "a", first.storedMicros(), first.generation())).isFalse();
		assertThat(older.remove(home, epochs, "a", second.storedMicros(), second.generation())).isTrue();

		List<RecurringSnapshot> left = recurring.list(QUEUE, null, 10).schedules();
		assertThat(left).extracting(RecurringSnapshot::group).containsExactly(groupOf(1));
		assertThat(left.get(0).pausedSince()).isPresent();
	}

	private NewDefinition replacement(Instant stored) {
		return new NewDefinition("a", CallToken.next(), stored.toEpochMilli() * 1000, groupOf(1),
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
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, 2, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000, Duration.ofSeconds(1),
				Duration.ofSeconds(1), retry, GroupSettings.NONE, ExpirySettings.NEVER, FlowSettings.NONE,
				EndSettings.NONE);
	}

}
