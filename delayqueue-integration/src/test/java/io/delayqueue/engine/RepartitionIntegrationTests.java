package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;

import static io.delayqueue.engine.GrowingOrders.LATER;
import static io.delayqueue.engine.GrowingOrders.epochs;
import static io.delayqueue.engine.GrowingOrders.schedule;
import static io.delayqueue.engine.GrowingOrders.scheduleGenerated;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The partition count of a queue changes while messages wait in it and processes use it.
 */
class RepartitionIntegrationTests {

	private static final Set<String> SCHEDULES = Set.of(Scripts.digest("schedule"), Scripts.digest("schedule-new"));

	@RegisterExtension
	final GrowingOrders orders = new GrowingOrders();

	@Test
	void whatWaitsIsDeliveredAndWhatIsScheduledGoesToTheNewPartitions() {
		DelayQueueEngine engine = this.orders.engine(1);
		this.orders.consume(engine, 1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		schedule(engine, "g-1", "g", LATER, Outcome.CREATED);

		this.orders.grow(engine, 8);

		assertThat(schedule(engine, "waits", null, LATER, Outcome.DUPLICATE)).isEqualTo("waits");
		schedule(engine, "g-2", "g", LATER, Outcome.CREATED);
		IntStream.range(0, 20).forEach((n) -> schedule(engine, "new-" + n, null, LATER, Outcome.CREATED));
		assertThat(this.orders.messagesOf(engine, 0)).containsExactlyInAnyOrder("waits", "g-1\1g", "g-2\1g");
		assertThat(this.orders.messagesOf(engine, 1)).hasSize(20);
		assertThat(engine.operations().countGroup("orders", "g")).isEqualTo(2);
		assertThat(engine.operations().listGroup("orders", "g", null, 10).messages()).hasSize(2);

		for (String id : List.of("waits", "new-3")) {
			engine.operations().reschedule(MessageKey.of("orders", id), Duration.ZERO);
		}
		await().until(() -> this.orders.handled().containsAll(List.of("waits", "new-3")));
		String generated = engine.operations()
			.schedule(ScheduleRequest.to("orders").payload("p").delay(Duration.ofMillis(50)))
			.id();
		await().until(() -> this.orders.handled().contains(generated));
		assertThat(engine.operations().cancelGroup("orders", "g").cancelled()).isEqualTo(2);
		assertThat(engine.operations().cancel(MessageKey.of("orders", "new-4")).name()).isEqualTo("CANCELLED");
	}

	@Test
	void aDirectoryThatWasLostIsRestoredWithAllEpochs() {
		DelayQueueEngine engine = this.orders.engine(1);
		schedule(engine, "first", null, LATER, Outcome.CREATED);
		this.orders.grow(engine, 4);
		schedule(engine, "middle", null, LATER, Outcome.CREATED);
		this.orders.grow(engine, 2);
		schedule(engine, "newest", null, LATER, Outcome.CREATED);
		this.orders.engines()
			.template()
			.delete(List.of(this.orders.prefix() + ":{members}:epochs", this.orders.prefix() + ":queues"));

		DelayQueueEngine restarted = this.orders.engine(8);
		List.of("first", "middle", "newest").forEach((id) -> schedule(restarted, id, null, LATER, Outcome.DUPLICATE));

		assertThat(epochs(restarted).text()).startsWith("4;1,1:4,2:2");
	}

	@Test
	void allOlderPartitionsAreClosedBeforeAnEpochBecomesTheCurrentOne() {
		DelayQueueEngine engine = this.orders.engine(8);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		List<Boolean> closed = new CopyOnWriteArrayList<>();
		engine.directory()
			.onChange((epochs) -> epochs.older()
				.forEach((epoch) -> epochs.partitions(epoch).forEach((partition) -> closed.add(isClosed(partition)))));

		this.orders.grow(engine, 3);

		await().until(() -> closed.size() == 8);
		assertThat(closed).containsOnly(true);
	}

	@Test
	void aChangeThatWasLeftBehindIsCompletedByTheNextCall() {
		DelayQueueEngine engine = this.orders.engine(1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		Epochs before = epochs(engine);
		engine.directory().change(before, before.announce(4, 1));

		this.orders.grow(this.orders.engine(1), 4);
	}

	@Test
	void whatAStoppedScriptHasLeftOfAGroupKeepsTheEpoch() {
		DelayQueueEngine engine = this.orders.engine(1);
		this.orders.consume(engine, 1);
		schedule(engine, "done", "g", Duration.ZERO, Outcome.CREATED);
		await().until(() -> this.orders.handled().contains("done"));
		this.orders.engines()
			.template()
			.opsForZSet()
			.add(this.orders.prefix() + ":{orders:0}:groups",
					("g\0" + "0001700000000000" + "\0x").getBytes(StandardCharsets.UTF_8), 0);
		this.orders.grow(engine, 8);
		schedule(engine, "x", "g", LATER, Outcome.CREATED);
		assertThat(engine.operations().find(MessageKey.of("orders", "x"))).isPresent();
		assertThat(epochs(engine).epochs()).hasSize(2);
	}

	@Test
	void earlierPartitionsEndWhenTheyAreEmptyAndAPauseHoldsInAll() {
		DelayQueueEngine engine = this.orders.engine(1);
		this.orders.consume(engine, 1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		engine.admin().pause("orders");
		this.orders.grow(engine, 4);
		assertThat(engine.admin().status("orders").isPaused()).isTrue();
		schedule(engine, "new", null, Duration.ZERO, Outcome.CREATED);
		engine.operations().reschedule(MessageKey.of("orders", "waits"), Duration.ZERO);
		assertThat(this.orders.handled()).isEmpty();

		engine.admin().resume("orders");

		await().until(() -> this.orders.handled().containsAll(List.of("new", "waits")));
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:4"));
		schedule(engine, "after", null, Duration.ZERO, Outcome.CREATED);
		await().until(() -> this.orders.handled().contains("after"));
	}

	@Test
	void anIdOrAGroupOfTheCallerCostsOneCallMoreWhileAnEarlierEpochLastsAndAGeneratedIdNone() {
		DelayQueueEngine engine = this.orders.engine(1);
		QueueConsumer consumer = this.orders.consume(engine, 1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		this.orders.grow(engine, 8);
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

	/** The calls that an action makes to schedule messages. */
	private long calls(CommandLog log, Runnable action) {
		log.clear();
		action.run();
		return log.commands()
			.stream()
			.filter((command) -> command.name().equals("EVALSHA") && SCHEDULES.contains(command.arguments().get(0)))
			.filter((command) -> command.arguments().toString().contains(this.orders.prefix() + ":{orders:"))
			.count();
	}

	@Tag("slow")
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
			DelayQueueEngine engine = DelayQueueEngine.builder(onCluster, (queue) -> TestEngines.settings("orders", 1))
				.keyPrefix(this.orders.prefix())
				.build();
			QueueConsumer consumer = this.orders.consume(engine, 1);
			IntStream.range(0, 50).forEach((n) -> schedule(engine, "early-" + n, "g-" + n % 5, LATER, Outcome.CREATED));
			this.orders.grow(engine, 12);
			IntStream.range(0, 50).forEach((n) -> schedule(engine, "late-" + n, null, LATER, Outcome.CREATED));
			for (String name : List.of("early-", "late-")) {
				IntStream.range(0, 50)
					.forEach((n) -> engine.operations()
						.reschedule(MessageKey.of("orders", name + n), Duration.ofMillis(10)));
			}
			await().until(() -> this.orders.handled().size() == 100);
			await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:12"));
			consumer.stop(Duration.ofSeconds(10));
			engine.close();
			onCluster.destroy();
			toCluster.destroy();
		}
	}

	private boolean isClosed(Partition partition) {
		byte[] key = (this.orders.prefix() + ":{" + partition + "}:control").getBytes(StandardCharsets.UTF_8);
		return Boolean.TRUE.equals(this.orders.engines()
			.template()
			.execute((RedisCallback<Boolean>) (connection) -> connection.hashCommands()
				.hExists(key, "closed".getBytes(StandardCharsets.UTF_8))));
	}

}
