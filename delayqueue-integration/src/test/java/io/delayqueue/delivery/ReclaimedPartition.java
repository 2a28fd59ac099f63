package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Leases;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.StoredId;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * A partition with a reclaimer and a renewer of leases.
 */
abstract class ReclaimedPartition extends GatedPartition {

	/**
	 * The index of the script's argument for the most messages to reclaim; 0 only checks.
	 */
	private static final int LIMIT = 18;

	private final Map<String, ConsumerState> states = new ConcurrentHashMap<>();

	final List<String> reclaimed = new CopyOnWriteArrayList<>();

	final List<String> dead = new CopyOnWriteArrayList<>();

	final AtomicInteger due = new AtomicInteger();

	private final Signals signals = ActorBench.signals(this.partition.queue(),
			(signalled) -> this.due.incrementAndGet());

	Reclaimer reclaimer = reclaimer(shared, this.partition, 3, this.gate);

	final LeaseRenewer leaseRenewer = leaseRenewer(shared, this.partition, this.gate);

	@AfterEach
	void stopReclaimer() {
		this.leaseRenewer.stop();
		this.reclaimer.stop();
	}

	/** The first check only records the time. */
	static void start(ActorBench bench, Partition of, Reclaimer reclaimer) {
		int before = bench.scripts("reclaim", of).size();
		reclaimer.checkNow();
		Awaitility.await().until(() -> bench.scripts("reclaim", of).size() > before);
		reclaimer.checkNow();
	}

	void start(ActorBench bench, Partition of, Reclaimer reclaimer, LeaseRenewer leaseRenewer) {
		renew(of, leaseRenewer);
		start(bench, of, reclaimer);
	}

	/** The most messages that each call was to reclaim. */
	List<String> limits() {
		return shared.scripts("reclaim", this.partition).stream().map((arguments) -> arguments.get(LIMIT)).toList();
	}

	/** Lets a consumer read a message and be silent for the visibility timeout. */
	static void take(ActorBench bench, Partition of) {
		bench.schedule(of, "m", Duration.ZERO);
		bench.take(of, "silent");
		Awaitility.await()
			.until(() -> bench.call("XPENDING", of, "ready", "consumers", "IDLE", "1000", "-", "+", "1").length() > 2);
	}

	ConsumerState state(Partition of) {
		return this.states.computeIfAbsent(of.queue(), (queue) -> TestActors.state(of, 10));
	}

	Reclaimer reclaimer(ActorBench bench, Partition of, int maxCrashes, RedisGate with) {
		ConsumerState consumer = TestActors.state(TestActors.settings(of, 10, maxCrashes), with);
		return new Reclaimer(TestActors.first(state(of)), consumer, new Leases(bench.calls()),
				bench.fleet(new Signals(), with), new ConsumerLog(consumer.settings(), QueueObserver.NONE),
				TestActors.listener(bench, consumer, this.signals, observer()), this.tasks, "off");
	}

	void renew(Partition of, LeaseRenewer leaseRenewer) {
		TestActors.first(state(of)).onRenewal(leaseRenewer::renewNow);
		leaseRenewer.renewNow();
	}

	/** Renews leases when a test begins with it. */
	LeaseRenewer leaseRenewer(ActorBench bench, Partition of, RedisGate with) {
		ConsumerState consumer = TestActors.state(TestActors.settings(of, 10, 3), with);
		PartitionState partition = TestActors.first(state(of));
		LeaseRenewer renewer = new LeaseRenewer(partition, consumer, new PendingMessages(bench.calls()),
				new Leases(bench.calls()), TestActors.listener(bench, consumer, new Signals(), QueueObserver.NONE),
				this.tasks);
		partition.onRenewal(() -> {
		});
		return renewer;
	}

	private QueueObserver observer() {
		return new QueueObserver() {

			@Override
			public void reclaimed(String queue, boolean isDead) {
				ReclaimedPartition.this.reclaimed.add(queue);
			}

			@Override
			public void deadLettered(String queue, StoredId id, String reason, @Nullable String exception,
					String message) {
				ReclaimedPartition.this.dead.add(id.id());
			}

		};
	}

}
