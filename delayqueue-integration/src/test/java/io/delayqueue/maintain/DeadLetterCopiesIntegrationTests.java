package io.delayqueue.maintain;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.engine.TestEngines;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.DeadLetterCarrier;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.GroupLimit;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.PendingMessages.Acknowledgement;
import io.delayqueue.store.PendingMessages.Death;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.RetryingCalls;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.core.RedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Single dead letters that move to a dead-letter queue.
 */
@Tag("slow")
class DeadLetterCopiesIntegrationTests {

	private static final Partition SOURCE = new Partition("source", 0);

	private static final Partition TARGET = new Partition("target", 0);

	private static final Duration WINDOW = Duration.ofMillis(1);

	private final String prefix = "copies-" + UUID.randomUUID();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@Test
	void aMoveThatIsRepeatedAfterTheWindowOfTheHandledCopyStoresNoSecondOne() {
		DelayQueueEngine engine = this.engines.engine(this.prefix, DeadLetterCopiesIntegrationTests::settings);
		DeadLetterCopies copies = copies(engine);
		PendingMessages pending = new PendingMessages(engine.calls());
		engine.operations().schedule(ScheduleRequest.to("source").id("a").group("g").payload("p").delay(Duration.ZERO));
		Entry dies = take(engine, SOURCE);
		pending.settle(SOURCE, List.of(new Death(dies.entry(), dies.storedId(), "refused", true, false)));
		RedisTemplate<String, byte[]> redis = this.engines.template();
		long died = Objects.requireNonNull(redis.opsForZSet().score(key(SOURCE, "dead"), dies.storedId().toBytes()))
			.longValue();
		List<String> keys = List.copyOf(redis.keys(key(SOURCE, "*")));
		keys.forEach((key) -> redis.copy(key, "saved-" + key, true));
		assertThat(copies.move(SOURCE, dies.storedId(), died)).isEmpty();
		Entry copy = take(engine, TARGET);
		pending.acknowledge(TARGET, WINDOW, List.of(new Acknowledgement(copy.entry(), copy.storedId(),
				MessageRecord.from(Objects.requireNonNull(copy.record())).envelope().token(), WINDOW)));
		await().until(() -> {
			sweep(engine, TARGET);
			return redis.opsForZSet().score(key(TARGET, "done"), copy.storedId().toBytes()) == null;
		});

		// The process was killed before it could remove the original
		keys.forEach((key) -> redis.rename("saved-" + key, key));
		assertThat(copies.move(SOURCE, dies.storedId(), died)).isEmpty();

		assertThat(redis.hasKey(key(SOURCE, "dead"))).isFalse();
		assertThat(redis.hasKey(key(TARGET, "messages"))).isFalse();
	}

	private static DeadLetterCopies copies(DelayQueueEngine engine) {
		DeadLetterCarrier carrier = new DeadLetterCarrier(engine.queues(), new EpochCalls(engine.calls()),
				engine.directory());
		return new DeadLetterCopies(engine.queues(), engine.calls(),
				new RetryingCalls(Duration.ofSeconds(5), engine.gate(), engine.directory(), carrier),
				engine.directory(),
				new Wakeups(engine.signals(), new HintChannel(engine.calls()), engine.fleet(), engine.tasks()),
				engine.observer());
	}

	private static Entry take(DelayQueueEngine engine, Partition partition) {
		List<Entry> entries = sweep(engine, partition);
		assertThat(entries).hasSize(1);
		return entries.get(0);
	}

	private static List<Entry> sweep(DelayQueueEngine engine, Partition partition) {
		return new DueMessages(engine.calls())
			.sweep(partition, new SweepLimits(100, 100, GroupLimit.NONE, Map.of()), "", "consumer", 10)
			.read()
			.entries();
	}

	private String key(Partition partition, String name) {
		return this.prefix + ":{" + partition + "}:" + name;
	}

	private static QueueSettings settings(String queue) {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000, Duration.ofSeconds(1),
				Duration.ofSeconds(1), retry, GroupSettings.NONE, ExpirySettings.NEVER, FlowSettings.NONE,
				new EndSettings(EndSettings.DEFAULT_FOR, 0, queue.equals("source") ? "target" : null));
	}

}
