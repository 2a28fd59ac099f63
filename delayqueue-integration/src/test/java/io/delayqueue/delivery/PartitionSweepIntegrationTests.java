package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.RateLimit;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.PartitionWatch;
import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.SweepSettings;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a reader sweeps its partition, when the partition is only checked together with
 * other idle ones, and when there are no calls.
 */
@Tag("slow")
class PartitionSweepIntegrationTests extends GatedPartition {

	private static final Duration OFTEN = Duration.ofMillis(20);

	private static final Duration SELDOM = Duration.ofMinutes(1);

	private static final Duration DAY = Duration.ofDays(1);

	private final Signals signals = new Signals();

	private final AtomicInteger swept = new AtomicInteger();

	private final AtomicInteger handled = new AtomicInteger();

	private final List<Runnable> closing = new ArrayList<>();

	@AfterEach
	void stopConsumers() {
		this.closing.forEach(Runnable::run);
	}

	@Test
	void partitionIsSweptAtStartAndWhenNextMessageIsDue() {
		shared.schedule(this.partition, "now", Duration.ZERO);
		shared.schedule(this.partition, "soon", Duration.ofSeconds(1));
		consume(SELDOM);

		Awaitility.await().until(() -> this.swept.get() == 2);

		Awaitility.await().until(() -> this.handled.get() == 2);
		assertThat(shared.scripts("sweep", this.partition).size()).as("two sweeps, and a few early ones")
			.isBetween(2, 5);
	}

	@Test
	void signalTriggersSweepWithoutIdleCheck() {
		consume(SELDOM);
		Awaitility.await().until(() -> sweeps() == 1);
		shared.schedule(this.partition, "now", Duration.ZERO);

		this.signals.due(this.partition, 0);

		Awaitility.await().until(() -> this.swept.get() == 1);
		int peeks = shared.scripts("peek-partitions", this.partition).size();
		assertThat(peeks).as("when the list of members changes, and when that has settled").isLessThanOrEqualTo(2);
		assertThat(sweeps()).as("one more if such a peek has seen the message").isBetween(2, 2 + peeks);
	}

	@Test
	void idlePartitionIsOnlyCheckedUntilMessageIsDue() {
		shared.schedule(this.partition, "later", DAY);
		consume(OFTEN);
		Awaitility.await().until(() -> shared.scripts("peek-partitions", this.partition).size() >= 20);
		assertThat(sweeps()).isEqualTo(1);

		shared.schedule(this.partition, "now", Duration.ZERO);

		Awaitility.await().until(() -> this.swept.get() == 1);
	}

	@Test
	void nothingIsCalledWhileGateIsClosedAndPartitionIsSweptWhenItOpens() {
		closeGate();
		shared.schedule(this.partition, "now", Duration.ZERO);
		consume(OFTEN);
		awaitTurnsOfAnother();
		assertThat(sweeps()).isZero();
		assertThat(shared.scripts("peek-partitions", this.partition)).isEmpty();

		this.answers.set(true);

		Awaitility.await().until(() -> this.swept.get() == 1);
	}

	@Test
	void partitionIsSweptAgainAtOnceWhenRedisAnswersAgain() {
		consume(SELDOM);
		Awaitility.await().until(() -> sweeps() == 1);

		this.gate.lost(new IllegalStateException("cut"));

		awaitTurnsOfAnother(300, () -> sweeps() == 2);
		assertThat(sweeps()).as("long before its next turn").isEqualTo(2);
	}

	@Test
	void unreachableRedisClosesGateAndSweepsContinueAfterwards() {
		try (RedisServer server = RedisServer.builder().start();
				ActorBench bench = new ActorBench(server.uri());
				RedisGate probing = new RedisGate(this.tasks, bench.calls()::answers)) {
			Partition orders = new Partition("orders", 0);
			consumer(bench, settings(orders), OFTEN, this.signals, probing).start();
			Awaitility.await().until(() -> bench.scripts("peek-partitions", orders).size() > 2);

			server.kill();
			Awaitility.await().until(() -> !probing.isOpen());
			server.start();

			Awaitility.await().until(probing::isOpen);
			bench.schedule(orders, "now", Duration.ZERO);
			Awaitility.await().until(() -> this.swept.get() == 1);
			assertThat(this.tasks.statuses()).extracting(TaskStatus::failures).containsOnly(0);
		}
	}

	@Test
	void partitionIsSweptAgainAtOnceAfterARequestForAGrantHasFailed() {
		FlowSettings flow = new FlowSettings(new RateLimit(1000, Duration.ofSeconds(1), 1000), 0);
		QueueConsumer consumer = consumer(shared, TestActors.settings(this.partition, 10, 3, flow), SELDOM,
				this.signals, this.gate);
		consumer.pause();
		consumer.start();
		Awaitility.await().until(() -> sweeps() >= 1);
		shared.call("SET", this.partition, "budget", "something else");
		consumer.resume();
		awaitGrants(5);
		int before = sweeps();
		shared.schedule(this.partition, "now", Duration.ZERO);
		this.signals.due(this.partition, 0);
		awaitGrants(2);
		assertThat(sweeps()).as("without a grant").isEqualTo(before);

		shared.call("DEL", this.partition, "budget");

		awaitTurnsOfAnother(30, () -> this.handled.get() == 1);
		assertThat(this.handled).as("long before its next turn").hasValue(1);
	}

	@Test
	void idlePartitionIsFreedOfTheEntryOfACancelledMessage() {
		shared.schedule(this.partition, "cancelled", Duration.ZERO);
		shared.take(this.partition, "killed");
		shared.bean(DelayQueueOperations.class).cancel(this.partition.queue(), "cancelled");
		assertThat(shared.call("XLEN", this.partition, "ready")).isEqualTo("1");

		consume(OFTEN);

		Awaitility.await().until(() -> "0".equals(shared.call("XLEN", this.partition, "ready")));

		assertThat(shared.call("XPENDING", this.partition, "ready", "consumers")).startsWith("[0,");
		assertThat(this.handled).hasValue(0);
	}

	@Test
	void partitionWithForeignLayoutIsSweptAfterLayoutIsRestored() {
		shared.schedule(this.partition, "now", Duration.ZERO);
		shared.layout(this.partition, 3);
		consume(OFTEN);
		Awaitility.await().until(() -> sweeps() >= 5);
		assertThat(this.swept).hasValue(0);
		assertThat(this.tasks.statuses()).extracting(TaskStatus::failures)
			.as("not counted as a failure")
			.containsOnly(0);

		shared.layout(this.partition, 1);

		Awaitility.await().until(() -> this.swept.get() == 1);
	}

	@Test
	void partitionIsNotSweptAfterItsConsumerStopped() {
		shared.layout(this.partition, 3);
		QueueConsumer consumer = consume(OFTEN);
		Awaitility.await().until(() -> sweeps() >= 5);

		consumer.stop(Duration.ofMinutes(1));

		awaitTurnsOfAnother();
		int sweeps = sweeps();
		awaitTurnsOfAnother();
		assertThat(sweeps()).isEqualTo(sweeps);
	}

	private int sweeps() {
		return shared.scripts("sweep", this.partition).size();
	}

	private void awaitGrants(int more) {
		int wanted = shared.scripts("grant", this.partition).size() + more;
		Awaitility.await().until(() -> shared.scripts("grant", this.partition).size() >= wanted);
	}

	private QueueConsumer consume(Duration interval) {
		QueueConsumer consumer = consumer(shared, settings(this.partition), interval, this.signals, this.gate);
		consumer.start();
		return consumer;
	}

	private static QueueSettings settings(Partition partition) {
		return TestActors.settings(partition, 10, 3);
	}

	private QueueConsumer consumer(ActorBench bench, QueueSettings queue, Duration interval, Signals signals,
			RedisGate gate) {
		DelayQueueEngine engine = bench.bean(DelayQueueEngine.class);
		SweepSettings settings = new SweepSettings(interval, 100, 0);
		Fleet fleet = bench.fleet(signals, gate);
		PartitionWatch watch = new PartitionWatch(settings, engine.calls(), signals, fleet, gate, this.tasks);
		QueueObserver observer = new QueueObserver() {

			@Override
			public void swept(String queue, int messages) {
				PartitionSweepIntegrationTests.this.swept.addAndGet(messages);
			}

		};
		QueueConsumer consumer = new RedisQueueConsumerFactory(engine.calls(), engine.directory(), signals, gate,
				this.tasks, observer, MessageTracing.NONE, HandlerThreads.platform(), fleet, watch,
				bench.wakeups(signals, fleet), bench.holds(signals, fleet, observer))
			.create(queue, (delivery) -> {
				this.handled.incrementAndGet();
				return CompletableFuture.completedFuture(null);
			}, null, null);
		this.closing.add(() -> consumer.stop(Duration.ofMinutes(1)));
		return consumer;
	}

	private void awaitTurnsOfAnother() {
		awaitTurnsOfAnother(10, () -> false);
	}

	/** Waits for a number of turns of another, busy sweeper, or for the condition. */
	private void awaitTurnsOfAnother(int turns, BooleanSupplier condition) {
		Partition other = shared.partition();
		shared.layout(other, 3);
		QueueConsumer another = consumer(shared, settings(other), OFTEN, new Signals(),
				new RedisGate(this.tasks, null));
		another.start();
		Awaitility.await().until(() -> condition.getAsBoolean() || shared.scripts("sweep", other).size() >= turns);
		another.stop(Duration.ofMinutes(1));
	}

}
