package io.delayqueue.delivery;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.PartitionWatch;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.SweepSettings;
import io.delayqueue.store.Budgets;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Holds;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Members;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.RedisCalls;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;

/**
 * A partition with a reader, whose handlers end when a test ends them.
 */
abstract class ReadPartition extends GatedPartition {

	final AtomicBoolean paused = new AtomicBoolean();

	/** The messages whose handlers have not ended, in the order of their deliveries. */
	final Map<String, CompletableFuture<Void>> running = Collections.synchronizedMap(new LinkedHashMap<>());

	final ConsumerState state = state(this.partition, this.gate);

	final PartitionReader reader = reader(shared, this.state);

	@AfterEach
	void stopReader() {
		this.reader.close();
	}

	void makeReady(int messages) {
		IntStream.range(0, messages).forEach((i) -> shared.schedule(this.partition, "m-" + i, Duration.ZERO));
		shared.sweep(this.partition);
	}

	int reads() {
		return shared.scripts("read", this.partition).size();
	}

	void awaitReadsOfAnother() {
		Partition other = shared.partition();
		PartitionReader another = reader(shared, TestActors.state(other, 3));
		another.start();
		for (int i = 1; i <= 10; i++) {
			int reads = i;
			Awaitility.await().until(() -> shared.scripts("read", other).size() >= reads);
			another.signal();
		}
		another.close();
	}

	ConsumerState state(Partition of, RedisGate with) {
		return new ConsumerState(TestActors.settings(of, 3, 3), TestActors.CONSUMER, this.paused::get, with,
				Duration.ofMinutes(1), new SuspectIsolation());
	}

	/** A reader that reads when a test signals it, and otherwise once a minute. */
	PartitionReader reader(ActorBench bench, ConsumerState with) {
		return reader(bench, with, false);
	}

	PartitionReader reader(ActorBench bench, ConsumerState with, boolean sweeping) {
		RedisCalls calls = bench.calls();
		PendingMessages pending = new PendingMessages(calls);
		Handlers handlers = new Handlers(this::handle, null, null);
		TestActors.first(with).onSettlement((settlement) -> {
			with.settling(settlement.task());
			with.settled(settlement.task());
		});
		HandlerInvoker invoker = new HandlerInvoker(with, handlers, pending, QueueObserver.NONE, MessageTracing.NONE);
		Dispatcher dispatcher = new Dispatcher(with, handlers, invoker,
				(concurrency) -> new Threads(Runnable::run, () -> {
				}), this.tasks);
		ConsumerLog log = new ConsumerLog(with.settings(), QueueObserver.NONE);
		PartitionState partition = TestActors.first(with);
		Fleet fleet = new Fleet(sweeping, new Members(calls), bench.bean(DelayQueueEngine.class).directory(),
				new HintChannel(calls), new Signals(), with.gate(), this.tasks);
		new Reclaimer(partition, with, new Leases(calls), fleet, log,
				TestActors.listener(bench, with, new Signals(), QueueObserver.NONE), this.tasks, "off");
		Wakeups wakeups = bench.wakeups(new Signals(), fleet);
		Grants grants = new Grants(partition, with, new Budgets(calls), new Leases(calls), wakeups, this.tasks);
		PartitionSweep sweep = new PartitionSweep(partition.partition(), with.settings(), new DueMessages(calls),
				grants, fleet, new PartitionWatch(new SweepSettings(Duration.ofMinutes(1), 100, 0), calls,
						new Signals(), fleet, with.gate(), this.tasks),
				wakeups, QueueObserver.NONE);
		DeliveryReceiver receiver = new DeliveryReceiver(partition, with, pending,
				new GroupHolds(partition, new Holds(calls), dispatcher), grants, log, dispatcher);
		return new PartitionReader(partition, with, new ReadyMessages(calls), sweep, receiver,
				bench.bean(DelayQueueEngine.class).directory(), dispatcher, this.tasks);
	}

	private CompletionStage<?> handle(Delivery delivery) {
		CompletableFuture<Void> stage = new CompletableFuture<>();
		this.running.put(delivery.id(), stage);
		return stage;
	}

}
