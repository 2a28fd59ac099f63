package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Leases;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the reclaimer reclaims messages of a silent consumer, and when it does not check.
 */
@SuppressWarnings("NullAway.Init")
class ReclaimerIntegrationTests {

	/**
	 * The index of the script's argument for the most messages to reclaim; 0 only checks.
	 */
	private static final int LIMIT = 18;

	private static final Duration VISIBILITY_TIMEOUT = Duration.ofSeconds(1);

	private static ActorBench shared;

	private final AtomicBoolean answers = new AtomicBoolean(true);

	private final RedisGate gate = new RedisGate(this.answers::get);

	private final Map<String, ConsumerState> states = new ConcurrentHashMap<>();

	private final LoopRegistry loops = new LoopRegistry();

	private final TurnThreads threads = new TurnThreads("test-leases", 4, this.loops);

	private final List<String> reclaimed = new CopyOnWriteArrayList<>();

	private final List<String> dead = new CopyOnWriteArrayList<>();

	private final AtomicInteger due = new AtomicInteger();

	private final Partition partition = shared.partition();

	private final Signals signals = ActorBench.signals(this.partition.queue(),
			(signalled) -> this.due.incrementAndGet());

	private Reclaimer reclaimer = reclaimer(shared, this.partition, 3, this.gate);

	private final LeaseRenewer leaseRenewer = leaseRenewer(shared, this.partition, this.gate);

	@BeforeAll
	static void start() {
		shared = new ActorBench(SharedRedis.get().uri());
	}

	@AfterAll
	static void stop() {
		shared.close();
	}

	@AfterEach
	void stopReclaimer() {
		this.leaseRenewer.stop();
		this.reclaimer.stop();
		this.threads.close();
		this.gate.close();
	}

	@Test
	void messageOfSilentConsumerIsReclaimedAfterSeveralChecks() {
		take(shared, this.partition);
		start(shared, this.partition, this.reclaimer, this.leaseRenewer);

		Awaitility.await().until(() -> this.due.get() == 1);

		assertThat(this.reclaimed).containsExactly(this.partition.queue());
		assertThat(this.dead).isEmpty();
		assertThat(shared.call("ZRANGE", this.partition, "scheduled", "0", "-1")).isEqualTo("[m]");
		assertThat(shared.call("HGET", this.partition, "failures", "m")).as("one crash").startsWith("0|1|");
		assertThat(limits()).as("only checks, for 2 s").startsWith("0", "0", "0").endsWith("25");
	}

	@Test
	void messageWithTooManyCrashesIsDeadLettered() {
		this.reclaimer = reclaimer(shared, this.partition, 1, this.gate);
		take(shared, this.partition);
		start(shared, this.partition, this.reclaimer, this.leaseRenewer);

		Awaitility.await().until(() -> !this.dead.isEmpty());

		assertThat(this.dead).containsExactly("m");
		assertThat(shared.call("ZRANGE", this.partition, "dead", "0", "-1")).isEqualTo("[m]");
	}

	@Test
	void nothingIsReclaimedWhileOwnProcessDoesNotRenewLeases() {
		take(shared, this.partition);
		start(shared, this.partition, this.reclaimer);
		Partition other = shared.partition();
		take(shared, other);
		Reclaimer another = reclaimer(shared, other, 3, this.gate);
		LeaseRenewer renewing = leaseRenewer(shared, other, this.gate);
		start(shared, other, another, renewing);

		Awaitility.await().until(() -> this.reclaimed.contains(other.queue()));

		assertThat(this.reclaimed).doesNotContain(this.partition.queue());
		assertThat(limits()).hasSizeGreaterThan(4).containsOnly("0");
		another.stop();
		renewing.stop();
	}

	@Test
	void partitionReportedEmptyIsNotCheckedUntilMessageIsRead() {
		this.reclaimer.checkNow();
		Awaitility.await().until(() -> limits().size() == 1);
		awaitChecksOfAnother();

		TestActors.first(state(this.partition)).empty(System.nanoTime());
		this.reclaimer.checkNow();
		awaitChecksOfAnother();
		assertThat(limits()).hasSize(1);

		TestActors.first(state(this.partition)).messagesRead();

		Awaitility.await().until(() -> limits().size() == 2);
	}

	@Test
	void reclaimerDoesNotCheckWhileGateIsClosed() {
		this.answers.set(false);
		this.gate.lost(new IllegalStateException("cut"));
		this.reclaimer.checkNow();
		this.reclaimer.checkNow();
		awaitChecksOfAnother();
		assertThat(limits()).isEmpty();

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		this.reclaimer.checkNow();

		Awaitility.await().until(() -> limits().size() == 1);
	}

	@Test
	void nothingIsReclaimedWhileLayoutIsForeign() {
		take(shared, this.partition);
		start(shared, this.partition, this.reclaimer, this.leaseRenewer);
		shared.layout(this.partition, 3);
		int before = limits().size();
		for (int i = 1; i <= 5; i++) {
			int checks = before + i;
			this.reclaimer.checkNow();
			Awaitility.await().until(() -> limits().size() >= checks);
		}
		assertThat(this.loops.statuses()).extracting(LoopStatus::failures)
			.as("not counted as a failure")
			.containsOnly(0);
		assertThat(this.reclaimed).isEmpty();

		shared.layout(this.partition, 1);
		shared.sweep(this.partition);
		this.reclaimer.checkNow();

		Awaitility.await().until(() -> !this.reclaimed.isEmpty());
	}

	@Test
	void unreachableRedisClosesGateAndChecksContinueAfterwards() {
		try (RedisServer server = RedisServer.builder().start(); ActorBench bench = new ActorBench(server.uri())) {
			RedisGate probing = new RedisGate(bench.bean(DelayQueueEngine.class).calls()::answers);
			Partition orders = bench.partition();
			Reclaimer surviving = reclaimer(bench, orders, 3, probing);
			surviving.checkNow();
			Awaitility.await().until(() -> bench.scripts("reclaim", orders).size() == 1);

			server.kill();
			surviving.checkNow();
			Awaitility.await().until(() -> !probing.isOpen());
			server.start();
			Awaitility.await().until(probing::isOpen);
			bench.schedule(orders, "m", Duration.ZERO);
			bench.take(orders, "silent");
			LeaseRenewer renewing = leaseRenewer(bench, orders, probing);
			renew(orders, renewing);

			Awaitility.await().until(() -> !this.reclaimed.isEmpty());
			surviving.stop();
			renewing.stop();
			probing.close();
		}
	}

	@Test
	void reclaimerDoesNotCheckAfterStop() {
		this.reclaimer.checkNow();
		Awaitility.await().until(() -> limits().size() == 1);

		this.reclaimer.stop();
		this.reclaimer.checkNow();

		awaitChecksOfAnother();
		assertThat(limits()).hasSize(1);
	}

	/** The first check only records the time. */
	private static void start(ActorBench bench, Partition of, Reclaimer reclaimer) {
		int before = bench.scripts("reclaim", of).size();
		reclaimer.checkNow();
		Awaitility.await().until(() -> bench.scripts("reclaim", of).size() > before);
		reclaimer.checkNow();
	}

	private void start(ActorBench bench, Partition of, Reclaimer reclaimer, LeaseRenewer leaseRenewer) {
		renew(of, leaseRenewer);
		start(bench, of, reclaimer);
	}

	/** The most messages that each call was to reclaim. */
	private List<String> limits() {
		return shared.scripts("reclaim", this.partition).stream().map((arguments) -> arguments.get(LIMIT)).toList();
	}

	/** Lets a consumer read a message and be silent for the visibility timeout. */
	private static void take(ActorBench bench, Partition of) {
		bench.schedule(of, "m", Duration.ZERO);
		bench.take(of, "silent");
		Awaitility.await()
			.until(() -> bench.call("XPENDING", of, "ready", "consumers", "IDLE", "1000", "-", "+", "1").length() > 2);
	}

	private void awaitChecksOfAnother() {
		Partition other = shared.partition();
		Reclaimer another = reclaimer(shared, other, 3, new RedisGate(null));
		another.checkNow();
		for (int i = 1; i <= 5; i++) {
			int checks = i;
			Awaitility.await().until(() -> shared.scripts("reclaim", other).size() >= checks);
			another.checkNow();
		}
		another.stop();
	}

	private ConsumerState state(Partition of) {
		return this.states.computeIfAbsent(of.queue(), (queue) -> TestActors.state(of, 10));
	}

	private Reclaimer reclaimer(ActorBench bench, Partition of, int maxCrashes, RedisGate with) {
		ConsumerState consumer = TestActors.state(TestActors.settings(of, 10, maxCrashes), with);
		return new Reclaimer(TestActors.first(state(of)), consumer,
				new Leases(bench.bean(DelayQueueEngine.class).calls()), bench.fleet(new Signals(), with),
				new ConsumerLog(consumer.settings(), QueueObserver.NONE),
				TestActors.listener(bench, consumer, this.signals, observer()), this.threads, "off");
	}

	private void renew(Partition of, LeaseRenewer leaseRenewer) {
		TestActors.first(state(of)).onRenewal(leaseRenewer::renewNow);
		leaseRenewer.renewNow();
	}

	/** Renews leases when a test begins with it. */
	private LeaseRenewer leaseRenewer(ActorBench bench, Partition of, RedisGate with) {
		ConsumerState consumer = TestActors.state(TestActors.settings(of, 10, 3), with);
		PartitionState partition = TestActors.first(state(of));
		LeaseRenewer renewer = new LeaseRenewer(partition, consumer,
				new PendingMessages(bench.bean(DelayQueueEngine.class).calls()),
				new Leases(bench.bean(DelayQueueEngine.class).calls()),
				TestActors.listener(bench, consumer, new Signals(), QueueObserver.NONE), this.threads);
		partition.onRenewal(() -> {
		});
		return renewer;
	}

	private QueueObserver observer() {
		return new QueueObserver() {

			@Override
			public void reclaimed(String queue, boolean isDead) {
				ReclaimerIntegrationTests.this.reclaimed.add(queue);
			}

			@Override
			public void deadLettered(String queue, String id, String reason, @Nullable String exception,
					String message) {
				ReclaimerIntegrationTests.this.dead.add(id);
			}

		};
	}

}
