package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.CancelResult;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.RepartitionPendingException;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.store.Snapshots;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.SharedRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The partition count of a queue changes while messages wait in it and processes use it.
 */
class RepartitionIntegrationTests {

	private static final Duration LATER = Duration.ofHours(1);

	private final String prefix = "repartition-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@Test
	void whatWaitsIsDeliveredAndWhatIsScheduledGoesToTheNewPartitions() {
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		schedule(engine, "g-1", "g", LATER, Outcome.CREATED);

		grow(engine, 8);

		assertThat(schedule(engine, "waits", null, LATER, Outcome.DUPLICATE)).isEqualTo("waits");
		schedule(engine, "g-2", "g", LATER, Outcome.CREATED);
		IntStream.range(0, 20).forEach((n) -> schedule(engine, "new-" + n, null, LATER, Outcome.CREATED));
		assertThat(messagesOf(engine, 0)).containsExactlyInAnyOrder("waits", "g-1", "g-2");
		assertThat(messagesOf(engine, 1)).hasSize(20);
		assertThat(engine.operations().countGroup("orders", "g")).isEqualTo(2);
		assertThat(engine.operations().listGroup("orders", "g", null, 10).messages()).hasSize(2);

		for (String id : List.of("waits", "new-3")) {
			engine.operations().reschedule(MessageKey.of("orders", id), Duration.ZERO);
		}
		await().until(() -> this.handled.containsAll(List.of("waits", "new-3")));
		String generated = engine.operations()
			.schedule(ScheduleRequest.to("orders").payload("p").delay(Duration.ofMillis(50)))
			.id();
		await().until(() -> this.handled.contains(generated));
		assertThat(engine.operations().cancelGroup("orders", "g").cancelled()).isEqualTo(2);
		assertThat(engine.operations().cancel(MessageKey.of("orders", "new-4")).name()).isEqualTo("CANCELLED");
	}

	@Test
	void aProcessThatHasMissedTwoChangesStoresARecurringSchedule() {
		DelayQueueEngine stale = engine(1);
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
		schedule(engine, "first", null, LATER, Outcome.CREATED);
		grow(engine, 2);
		schedule(stale, "second", null, LATER, Outcome.CREATED);
		engine.operations().cancel(MessageKey.of("orders", "first"));
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:2"));
		grow(engine, 3);

		assertThat(stale.recurring()
			.createOrReplace(RecurringSchedule.to("orders", "daily").payload("p").every(Duration.ofDays(1))))
			.isEqualTo(RecurringResult.CREATED);
	}

	@Test
	void aProcessThatHasNotReadTheChangeFollowsIt() {
		DelayQueueEngine stale = engine(1);
		DelayQueueEngine engine = engine(1);
		schedule(stale, "waits", null, LATER, Outcome.CREATED);
		schedule(engine, "g-1", "g", LATER, Outcome.CREATED);
		grow(engine, 8);
		schedule(engine, "new", null, LATER, Outcome.CREATED);

		assertThat(stale.operations().find(MessageKey.of("orders", "new"))).isPresent();
		schedule(stale, "new", null, LATER, Outcome.DUPLICATE);

		DelayQueueEngine another = engine(1);
		schedule(another, "waits", null, LATER, Outcome.DUPLICATE);
		assertThat(another.operations().cancel(MessageKey.of("orders", "new")).name()).isEqualTo("CANCELLED");
		assertThat(messagesOf(engine, 1)).isEmpty();
	}

	@Test
	void aDirectoryThatWasLostIsRestoredWithAllEpochs() {
		DelayQueueEngine engine = engine(1);
		schedule(engine, "first", null, LATER, Outcome.CREATED);
		grow(engine, 4);
		schedule(engine, "middle", null, LATER, Outcome.CREATED);
		grow(engine, 2);
		schedule(engine, "newest", null, LATER, Outcome.CREATED);
		this.engines.template().delete(List.of(this.prefix + ":{members}:epochs", this.prefix + ":queues"));

		DelayQueueEngine restarted = engine(8);
		List.of("first", "middle", "newest").forEach((id) -> schedule(restarted, id, null, LATER, Outcome.DUPLICATE));

		assertThat(epochs(restarted).text()).startsWith("4;1,1:4,2:2");
	}

	@Test
	void aGeneratedIdIsFoundBeforeTheOlderPartitionsAreClosed() {
		DelayQueueEngine stale = engine(1);
		DelayQueueEngine engine = engine(1);
		schedule(stale, "waits", null, LATER, Outcome.CREATED);
		Epochs announced = epochs(engine).announce(4, 1);
		engine.directory().change(epochs(engine), announced);
		engine.directory().change(announced, announced.activate());
		String generated = scheduleGenerated(engine);
		assertThat(messagesOf(engine, 1)).containsExactly(generated);

		assertThat(stale.operations().find(MessageKey.of("orders", generated))).isPresent();

		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			stale.operations().find(MessageKey.of("orders", "unknown"));
			assertThat(log.count("HGET")).isZero();
			stale.operations().find(MessageKey.of("orders", "0".repeat(24)));
			assertThat(log.count("HGET")).isOne();
		}
		assertThat(engine(1).operations().cancel(MessageKey.of("orders", generated))).isEqualTo(CancelResult.CANCELLED);
	}

	@Test
	void aProcessThatOnlyCountsFollowsTheChange() {
		DelayQueueEngine counting = engine(1);
		DelayQueueEngine engine = engine(1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		QueueStatistics statistics = new QueueStatistics(new Snapshots(counting.calls()), counting.queues(),
				counting.directory(), counting.gate(), Duration.ZERO, LATER);
		assertThat(scheduled(statistics)).isOne();
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			assertThat(scheduled(statistics)).isOne();
			assertThat(log.count("EVALSHA")).isOne();
			assertThat(log.count("HGET")).isZero();
		}

		grow(engine, 4);
		schedule(engine, "new", null, LATER, Outcome.CREATED);
		assertThat(scheduled(statistics)).isEqualTo(2);

		Epochs both = epochs(engine);
		engine.operations().cancel(MessageKey.of("orders", "waits"));
		engine.directory().change(both, both.without(0));
		assertThat(scheduled(statistics)).isOne();
		assertThat(counting.directory().known(settings(1)).epochs()).hasSize(1);
	}

	private static long scheduled(QueueStatistics statistics) {
		return Objects.requireNonNull(statistics.of("orders")).scheduled();
	}

	@Test
	void aStaleCallIsNotStoredInAClosedPartition() {
		DelayQueueEngine stale = engine(1);
		DelayQueueEngine engine = engine(1);
		schedule(stale, "waits", null, LATER, Outcome.CREATED);
		grow(engine, 8);

		List<ScheduleRequest> requests = new ArrayList<>();
		IntStream.range(0, 10)
			.forEach((n) -> requests.add(ScheduleRequest.to("orders").id("bulk-" + n).payload("p").delay(LATER)));
		requests.add(ScheduleRequest.to("orders").id("waits").payload("p").delay(LATER));
		requests.add(ScheduleRequest.to("orders").payload("p").delay(LATER));

		assertThat(stale.operations().scheduleAll(requests)).extracting((answer) -> answer.result().outcome())
			.containsOnlyOnce(Outcome.DUPLICATE)
			.hasSize(12);
		assertThat(messagesOf(engine, 0)).containsExactly("waits");
		assertThat(messagesOf(engine, 1)).hasSize(11);
	}

	@Test
	void allOlderPartitionsAreClosedBeforeAnEpochBecomesTheCurrentOne() {
		DelayQueueEngine engine = engine(8);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		List<Boolean> closed = new CopyOnWriteArrayList<>();
		engine.directory()
			.onChange((epochs) -> epochs.older()
				.forEach((epoch) -> epochs.partitions(epoch).forEach((partition) -> closed.add(isClosed(partition)))));

		grow(engine, 3);

		await().until(() -> closed.size() == 8);
		assertThat(closed).containsOnly(true);
	}

	@Test
	void theFirstCallOfAProcessWithAnotherCountStoresNothingTwice() {
		DelayQueueEngine first = engine(8);
		IntStream.range(0, 20).forEach((n) -> schedule(first, "x-" + n, "g-" + n, LATER, Outcome.CREATED));
		IntStream.range(0, 20).forEach((n) -> schedule(engine(1), "x-" + n, "g-" + n, LATER, Outcome.DUPLICATE));
		List<ScheduleRequest> all = new ArrayList<>();
		IntStream.range(0, 20)
			.forEach((n) -> all
				.add(ScheduleRequest.to("orders").id("x-" + n).group("g-" + n).payload("p").delay(LATER)));
		assertThat(engine(2).operations().scheduleAll(all)).extracting((answer) -> answer.result().outcome())
			.containsOnly(Outcome.DUPLICATE);
	}

	@Test
	void aHigherPropertyCountsAlsoIfTheProcessHasLookedForAMessageBefore() {
		DelayQueueEngine first = engine(1);
		schedule(first, "waits", null, LATER, Outcome.CREATED);
		DelayQueueEngine higher = engine(4);
		assertThat(higher.operations().find(MessageKey.of("orders", "waits"))).isPresent();
		schedule(higher, "x", null, LATER, Outcome.CREATED);
		await().until(() -> epochs(first).text().equals("4;1,1:4"));
	}

	@Test
	void aHigherPropertyWaitsUntilAnEarlierEpochHasEnded() {
		DelayQueueEngine engine = engine(1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		grow(engine, 2);
		grow(engine, 3);
		engine.operations().cancel(MessageKey.of("orders", "waits"));
		DelayQueueEngine higher = engine(4);
		consume(higher, 4);
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).raised() == 4);
		assertThat(epochs(engine).newest().partitions()).isEqualTo(4);
	}

	@Test
	void aChangeThatWasLeftBehindIsCompletedByTheNextCall() {
		DelayQueueEngine engine = engine(1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		Epochs before = epochs(engine);
		engine.directory().change(before, before.announce(4, 1));

		grow(engine(1), 4);
	}

	@Test
	void whatAStoppedScriptHasLeftOfAGroupKeepsTheEpoch() {
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
		schedule(engine, "done", "g", Duration.ZERO, Outcome.CREATED);
		await().until(() -> this.handled.contains("done"));
		this.engines.template()
			.opsForZSet()
			.add(this.prefix + ":{orders:0}:groups",
					("g\0" + "0001700000000000" + "\0x").getBytes(StandardCharsets.UTF_8), 0);
		grow(engine, 8);
		schedule(engine, "x", "g", LATER, Outcome.CREATED);
		assertThat(engine.operations().find(MessageKey.of("orders", "x"))).isPresent();
		assertThat(epochs(engine).epochs()).hasSize(2);
	}

	@Test
	void aHigherPropertyRaisesTheCountAndALowerOneChangesNothing() {
		DelayQueueEngine first = engine(1);
		schedule(first, "waits", null, LATER, Outcome.CREATED);
		DelayQueueEngine higher = engine(3);
		schedule(higher, "waits", null, LATER, Outcome.DUPLICATE);
		await().until(() -> epochs(first).text().equals("3;1,1:3"));

		DelayQueueEngine lower = engine(2);
		schedule(lower, "x", null, LATER, Outcome.CREATED);
		grow(lower, 1);
		schedule(engine(3), "y", null, LATER, Outcome.CREATED);
		assertThat(epochs(first).text()).isEqualTo("3;1,1:3,2:1");
		assertThatExceptionOfType(RepartitionPendingException.class)
			.isThrownBy(() -> first.admin().repartition("orders", 5));
	}

	@Test
	void earlierPartitionsEndWhenTheyAreEmptyAndAPauseHoldsInAll() {
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		engine.admin().pause("orders");
		grow(engine, 4);
		assertThat(engine.admin().status("orders").isPaused()).isTrue();
		schedule(engine, "new", null, Duration.ZERO, Outcome.CREATED);
		engine.operations().reschedule(MessageKey.of("orders", "waits"), Duration.ZERO);
		assertThat(this.handled).isEmpty();

		engine.admin().resume("orders");

		await().until(() -> this.handled.containsAll(List.of("new", "waits")));
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:4"));
		schedule(engine, "after", null, Duration.ZERO, Outcome.CREATED);
		await().until(() -> this.handled.contains("after"));
	}

	@Test
	void aDeadLetterKeepsItsGroup() {
		DelayQueueEngine engine = engine(1);
		QueueConsumer failing = engine.consumers().create(settings(1), (delivery) -> {
			throw new IllegalStateException("refused");
		}, null, null);
		this.engines.start(failing);
		schedule(engine, "dead", "g", Duration.ZERO, Outcome.CREATED);
		MessageKey dead = MessageKey.of("orders", "dead").inGroup("g");
		await().until(() -> engine.admin().deadLetter(dead).isPresent());
		failing.stop(Duration.ofSeconds(10));

		grow(engine, 8);

		schedule(engine, "later", "g", LATER, Outcome.CREATED);
		assertThat(messagesOf(engine, 0)).containsExactly("later");
		assertThat(engine.admin().redrive(dead)).isTrue();
		assertThat(engine.operations().countGroup("orders", "g")).isEqualTo(2);
		engine.operations().cancelGroup("orders", "g");
		schedule(engine, "free", "g", LATER, Outcome.CREATED);
		assertThat(messagesOf(engine, 0)).isEmpty();
	}

	@Test
	void deadLettersAreCarriedToTheNewPartitionsAndCanBeRedriven() {
		DelayQueueEngine engine = engine(1);
		QueueConsumer failing = engine.consumers().create(settings(1), (delivery) -> {
			if (delivery.attempt() == 1 && this.handled.stream().filter(delivery.id()::equals).count() == 0) {
				this.handled.add(delivery.id());
				throw new IllegalStateException("refused");
			}
			this.handled.add(delivery.id());
			return null;
		}, null, null);
		this.engines.start(failing);
		List<String> ids = new ArrayList<>();
		IntStream.range(0, 150)
			.forEach((n) -> ids.add(schedule(engine, "a-" + n, null, Duration.ZERO, Outcome.CREATED)));
		IntStream.range(0, 50)
			.forEach((n) -> ids.add(schedule(engine, "b-" + n, "g-" + n % 7, Duration.ZERO, Outcome.CREATED)));
		await().until(() -> deadLetters(engine).size() == 200);

		grow(engine, 8);

		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:8"));
		assertThat(deadLetters(engine)).containsExactlyInAnyOrderElementsOf(ids);
		schedule(engine, "a-1", null, LATER, Outcome.DEAD_LETTER);
		assertThat(engine.admin().redrive(MessageKey.of("orders", "a-1"))).isTrue();
		assertThat(engine.admin().redrive(MessageKey.of("orders", "b-1").inGroup("g-1"))).isTrue();
		assertThat(engine.admin().redrive(DeadLetterSelection.of("orders"))).isEqualTo(198);
		await().until(() -> this.handled.size() == 400);
		await().until(() -> deadLetters(engine).isEmpty());
		assertThat(this.handled).containsAll(ids);
	}

	@Test
	void anIdOrAGroupOfTheCallerCostsOneCallMoreWhileAnEarlierEpochLastsAndAGeneratedIdNone() {
		DelayQueueEngine engine = engine(1);
		QueueConsumer consumer = consume(engine, 1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		grow(engine, 8);
		consumer.stop(Duration.ofSeconds(10));
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			assertThat(calls(log, () -> schedule(engine, "a", null, LATER, Outcome.CREATED))).isEqualTo(2);
			assertThat(calls(log, () -> schedule(engine, "b", "g", LATER, Outcome.CREATED))).isEqualTo(2);
			assertThat(calls(log, () -> schedule(engine, "waits", null, LATER, Outcome.DUPLICATE))).isEqualTo(1);
			assertThat(calls(log, () -> scheduleGenerated(engine))).isEqualTo(1);

			consumer.start();
			engine.operations().cancel(MessageKey.of("orders", "waits"));
			await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:8"));
			consumer.stop(Duration.ofSeconds(10));
			assertThat(calls(log, () -> schedule(engine, "c", null, LATER, Outcome.CREATED))).isEqualTo(1);
			assertThat(calls(log, () -> scheduleGenerated(engine))).isEqualTo(1);
		}
	}

	private static String scheduleGenerated(DelayQueueEngine engine) {
		return engine.operations().schedule(ScheduleRequest.to("orders").payload("p").delay(LATER)).id();
	}

	/** The calls on partitions that an action makes. */
	private long calls(CommandLog log, Runnable action) {
		log.clear();
		action.run();
		return log.commands()
			.stream()
			.filter((command) -> command.name().equals("EVALSHA")
					&& command.arguments().toString().contains(this.prefix + ":{orders:"))
			.count();
	}

	@Test
	void aQueueMovesToAClusterOfSeveralMasters() {
		try (RedisCluster cluster = RedisCluster.builder().replicas(0).start()) {
			JedisConnectionFactory toCluster = new JedisConnectionFactory(
					new RedisClusterConfiguration(cluster.addresses()));
			toCluster.afterPropertiesSet();
			toCluster.start();
			DelayQueueRedisTemplate onCluster = new DelayQueueRedisTemplate(toCluster);
			onCluster.afterPropertiesSet();
			onCluster.start();
			DelayQueueEngine engine = DelayQueueEngine.builder(onCluster, (queue) -> settings(1))
				.keyPrefix(this.prefix)
				.build();
			QueueConsumer consumer = consume(engine, 1);
			IntStream.range(0, 50).forEach((n) -> schedule(engine, "early-" + n, "g-" + n % 5, LATER, Outcome.CREATED));
			grow(engine, 12);
			IntStream.range(0, 50).forEach((n) -> schedule(engine, "late-" + n, null, LATER, Outcome.CREATED));
			for (String name : List.of("early-", "late-")) {
				IntStream.range(0, 50)
					.forEach((n) -> engine.operations()
						.reschedule(MessageKey.of("orders", name + n), Duration.ofMillis(10)));
			}
			await().until(() -> this.handled.size() == 100);
			await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:12"));
			consumer.stop(Duration.ofSeconds(10));
			engine.close();
			onCluster.destroy();
			toCluster.destroy();
		}
	}

	private boolean isClosed(Partition partition) {
		byte[] key = (this.prefix + ":{" + partition + "}:control").getBytes(StandardCharsets.UTF_8);
		return Boolean.TRUE.equals(this.engines.template()
			.execute((RedisCallback<Boolean>) (connection) -> connection.hashCommands()
				.hExists(key, "closed".getBytes(StandardCharsets.UTF_8))));
	}

	private static List<String> deadLetters(DelayQueueEngine engine) {
		return engine.admin().deadLetters("orders", null, 1000).deadLetters().stream().map(DeadLetter::id).toList();
	}

	private DelayQueueEngine engine(int partitions) {
		DelayQueueEngine engine = DelayQueueEngine.builder(this.engines.template(), (queue) -> settings(partitions))
			.keyPrefix(this.prefix)
			.build();
		this.engines.add(engine);
		return engine;
	}

	private QueueConsumer consume(DelayQueueEngine engine, int partitions) {
		QueueConsumer consumer = engine.consumers().create(settings(partitions), (delivery) -> {
			this.handled.add(delivery.id());
			return null;
		}, null, null);
		return this.engines.start(consumer);
	}

	private void grow(DelayQueueEngine engine, int partitions) {
		engine.admin().repartition("orders", partitions);
		await().until(() -> !epochs(engine).newest().announced());
		assertThat(epochs(engine).current().partitions()).isEqualTo(partitions);
	}

	private static Epochs epochs(DelayQueueEngine engine) {
		return engine.directory().read("orders").orElseThrow();
	}

	private static String schedule(DelayQueueEngine engine, String id, @Nullable String group, Duration delay,
			Outcome expected) {
		ScheduleRequest request = ScheduleRequest.to("orders")
			.id(id)
			.payload("p")
			.delay(delay)
			.onDuplicate(DuplicatePolicy.keep());
		var result = engine.operations().schedule((group != null) ? request.group(group) : request);
		assertThat(result.outcome()).isEqualTo(expected);
		return result.id();
	}

	/** The waiting messages of one epoch. */
	private List<String> messagesOf(DelayQueueEngine engine, int epoch) {
		Epochs epochs = epochs(engine);
		return epochs.partitions().stream().filter((partition) -> partition.epoch() == epoch).flatMap((partition) -> {
			String key = this.prefix + ":{" + partition + "}:scheduled";
			return this.engines.template().opsForZSet().range(key, 0, -1).stream();
		}).map((id) -> new String(id, java.nio.charset.StandardCharsets.UTF_8)).toList();
	}

	private static QueueSettings settings(int partitions) {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings("orders", partitions, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(1), Duration.ofSeconds(1), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
