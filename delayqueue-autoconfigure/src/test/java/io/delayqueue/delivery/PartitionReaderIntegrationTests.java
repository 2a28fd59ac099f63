package io.delayqueue.delivery;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.PartitionWatch;
import io.delayqueue.fleet.SweepNotifier;
import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.SweepSettings;
import io.delayqueue.store.Budgets;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Holds;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Members;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the partition reader reads, how many messages, and how it uses permits.
 */
class PartitionReaderIntegrationTests extends GatedPartition {

	private final AtomicBoolean paused = new AtomicBoolean();

	private final TurnThreads threads = new TurnThreads("test-reader", 4, this.loops);

	/** The messages whose handlers have not ended, in the order of their deliveries. */
	private final Map<String, CompletableFuture<Void>> running = Collections.synchronizedMap(new LinkedHashMap<>());

	private final ConsumerState state = state(this.partition, this.gate);

	private final PartitionReader reader = reader(shared, this.state);

	@AfterEach
	void stopReader() {
		this.reader.close();
		this.threads.close();
	}

	@Test
	void readIsLimitedByPermitsAndContinuesWhenOneIsFree() {
		makeReady(5);
		this.reader.start();
		Awaitility.await().until(() -> this.running.size() == 3);
		assertThat(this.state.permits().taken()).isEqualTo(3);
		assertThat(this.state.held(this.partition)).hasSize(3);

		end("m-0");

		Awaitility.await().until(() -> this.running.containsKey("m-3"));
		assertThat(this.running.keySet()).containsExactly("m-1", "m-2", "m-3");
		assertThat(shared.call("XPENDING", this.partition, "ready", "consumers")).startsWith("[4,");
	}

	@Test
	void partitionIsSweptBeforeItsFirstReadWhileNoPermitIsFree() {
		shared.schedule(this.partition, "m-0", Duration.ZERO);
		assertThat(this.state.permits().take(3)).isEqualTo(3);
		PartitionReader sweeping = reader(shared, this.state, true);
		sweeping.start();

		Awaitility.await().until(() -> "1".equals(shared.call("XLEN", this.partition, "ready")));

		sweeping.close();
		assertThat(reads()).isZero();
	}

	@Test
	void emptyStreamIsReadOncePerSignal() {
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		this.state.permits().giveBack(this.state.permits().take(1));

		this.reader.signal();
		Awaitility.await().until(() -> reads() == 2);

		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(2);
		Awaitility.await().until(() -> this.state.permits().taken() == 0);
	}

	@Test
	void afterASuspectMessagesAreReadOneByOne() {
		makeReady(1);
		shared.call("HSET", this.partition, "failures", "m-0", "0|1|0||");
		this.reader.start();
		Awaitility.await().until(() -> this.running.containsKey("m-0"));
		assertThat(limits()).containsExactly("3");

		end("m-0");

		Awaitility.await().until(() -> limits().size() > 1);
		assertThat(limits()).startsWith("3", "1");
	}

	@Test
	void whileTheConsumerIsPausedOrTheGateIsClosedNothingIsRead() {
		makeReady(1);
		this.paused.set(true);
		this.reader.start();
		awaitReadsOfAnother();
		closeGate();
		this.paused.set(false);
		this.reader.signal();
		awaitReadsOfAnother();
		assertThat(reads()).isZero();
		assertThat(this.state.permits().taken()).isZero();

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		this.reader.signal();

		Awaitility.await().until(() -> this.running.size() == 1);
	}

	@Test
	void aPauseForAllProcessesIsSeenAndItsEndMakesItReadAgain() {
		makeReady(1);
		shared.call("HSET", this.partition, "control", "paused", "1");
		this.reader.start();
		Awaitility.await().until(() -> this.state.isAny(Read.State.PAUSED));
		assertThat(this.running).isEmpty();

		shared.call("HDEL", this.partition, "control", "paused");
		this.reader.signal();

		Awaitility.await().until(() -> this.running.size() == 1);
		assertThat(this.state.isAny(Read.State.PAUSED)).isFalse();
	}

	@Test
	void partitionWithForeignLayoutIsReadAfterLayoutIsRestored() {
		makeReady(1);
		shared.layout(this.partition, 3);
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		this.reader.signal();
		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(1);
		assertThat(this.reader.status().failures()).as("no fault of Redis").isZero();
		assertThat(this.state.permits().taken()).isZero();

		shared.layout(this.partition, 1);
		shared.sweep(this.partition);
		this.reader.signal();

		Awaitility.await().until(() -> this.running.size() == 1);
	}

	@Test
	void unreachableRedisClosesGateAndFreesPermits() {
		try (RedisServer server = RedisServer.builder().start();
				ActorBench bench = new ActorBench(server.uri());
				RedisGate probing = new RedisGate(bench.calls()::answers)) {
			Partition orders = bench.partition();
			ConsumerState surviving = state(orders, probing);
			PartitionReader reading = reader(bench, surviving);
			reading.start();
			Awaitility.await().until(() -> bench.scripts("read", orders).size() == 1);

			server.kill();
			reading.signal();
			Awaitility.await().until(() -> !probing.isOpen());
			Awaitility.await().until(() -> surviving.permits().taken() == 0);
			server.start();
			Awaitility.await().until(probing::isOpen);
			bench.schedule(orders, "back", Duration.ZERO);
			bench.sweep(orders);
			reading.signal();

			Awaitility.await().until(() -> this.running.containsKey("back"));
			reading.close();
		}
	}

	@Test
	void aRenewalIsRequestedWhenTheReplyOfAReadIsLost() {
		AtomicBoolean renewed = new AtomicBoolean();
		try (FaultProxy proxy = FaultProxy.to(SharedRedis.get().host(), SharedRedis.get().port());
				ActorBench bench = new ActorBench(proxy.uri())) {
			Partition orders = bench.partition();
			ConsumerState cut = state(orders, this.gate);
			TestActors.first(cut).onRenewal(() -> renewed.set(true));
			PartitionReader reading = reader(bench, cut);
			proxy.cutNextReplyTo(Scripts.digest("read"));

			reading.start();

			Awaitility.await().untilTrue(renewed);
			reading.close();
		}
	}

	@Test
	void nothingIsReadAfterClose() {
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		makeReady(1);

		this.reader.close();
		assertThat(this.reader.await(Duration.ofMinutes(1))).isTrue();
		this.reader.signal();

		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(1);
	}

	private void makeReady(int messages) {
		IntStream.range(0, messages).forEach((i) -> shared.schedule(this.partition, "m-" + i, Duration.ZERO));
		shared.sweep(this.partition);
	}

	private int reads() {
		return shared.scripts("read", this.partition).size();
	}

	/** How many messages each read asked for. */
	private List<String> limits() {
		return shared.scripts("read", this.partition)
			.stream()
			.map((arguments) -> arguments.get(arguments.size() - 4))
			.toList();
	}

	private void end(String id) {
		Objects.requireNonNull(this.running.remove(id)).complete(null);
	}

	private void awaitReadsOfAnother() {
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

	private ConsumerState state(Partition of, RedisGate with) {
		return new ConsumerState(TestActors.settings(of, 3, 3), TestActors.CONSUMER, this.paused::get, with,
				Duration.ofMinutes(1));
	}

	/** Reads when a test signals it, and otherwise once a minute. */
	private PartitionReader reader(ActorBench bench, ConsumerState with) {
		return reader(bench, with, false);
	}

	private PartitionReader reader(ActorBench bench, ConsumerState with, boolean sweeping) {
		RedisCalls calls = bench.calls();
		PendingMessages pending = new PendingMessages(calls);
		Handlers handlers = new Handlers(this::handle, null, null);
		Consumer<Settlement> settlements = (settlement) -> {
			with.settling(settlement.task());
			with.settled(settlement.task());
		};
		HandlerInvoker invoker = new HandlerInvoker(with, handlers, pending, QueueObserver.NONE, MessageTracing.NONE,
				settlements);
		Dispatcher dispatcher = new Dispatcher(with, handlers, invoker,
				(concurrency) -> new Threads(Runnable::run, () -> {
				}), this.threads, settlements);
		ConsumerLog log = new ConsumerLog(with.settings(), QueueObserver.NONE);
		PartitionState partition = TestActors.first(with);
		Fleet fleet = new Fleet(sweeping, new Members(bench.calls()), bench.bean(DelayQueueEngine.class).directory(),
				new HintChannel(bench.calls()), new Signals(), with.gate(), new LoopRegistry());
		new Reclaimer(partition, with, new Leases(bench.calls()), fleet, log,
				TestActors.listener(bench, with, new Signals(), QueueObserver.NONE), this.threads, "off");
		SweepNotifier notifier = bench.notifier(new Signals(), fleet);
		Grants grants = new Grants(partition, with, new Budgets(calls), new Leases(calls), notifier);
		PartitionSweep sweep = new PartitionSweep(partition.partition(), with.settings(), new DueMessages(calls),
				grants, fleet, new PartitionWatch(new SweepSettings(Duration.ofMinutes(1), 100, 0), bench.calls(),
						new Signals(), fleet, with.gate(), new LoopRegistry()),
				notifier, QueueObserver.NONE);
		DeliveryReceiver receiver = new DeliveryReceiver(partition, with, pending,
				new GroupHolds(partition, new Holds(calls), dispatcher), grants, log, dispatcher);
		return new PartitionReader(partition, with, new ReadyMessages(calls), sweep, receiver,
				bench.bean(DelayQueueEngine.class).directory(), dispatcher, this.threads);
	}

	private CompletionStage<?> handle(Delivery delivery) {
		CompletableFuture<Void> stage = new CompletableFuture<>();
		this.running.put(delivery.id(), stage);
		return stage;
	}

}
