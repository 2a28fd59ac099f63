package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.delivery.HandlerMode.OneByOne;
import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Leases;
import io.delayqueue.store.MessageRecord;
import io.delayqueue.store.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Entry;

/**
 * What the actors of one partition take, with everything but the test's subject as it is
 * by default.
 */
final class TestActors {

	/** The consumer whose actors are tested. */
	static final String CONSUMER = "tested";

	private TestActors() {
	}

	static QueueSettings settings(Partition partition, int concurrency, int maxCrashes) {
		return new QueueSettings(partition.queue(), 1, concurrency, Duration.ofSeconds(1), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry(maxCrashes), GroupSettings.NONE,
				ExpirySettings.NEVER);
	}

	static RetrySettings retry(int maxCrashes) {
		return new RetrySettings(5, maxCrashes, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
	}

	static ConsumerTools tools(ActorBench bench, Signals signals, RedisGate gate, QueueObserver observer) {
		return new ConsumerTools(bench.bean(ReadyMessages.class), bench.bean(Leases.class),
				bench.bean(QueueDirectory.class), signals, bench.bean(HintChannel.class), gate, new LoopRegistry(),
				observer, MessageTracing.NONE, Duration.ofMinutes(1));
	}

	/** Reads when a test wakes it, and otherwise once a minute. */
	static PartitionReader reader(ActorBench bench, Partition partition, RedisGate gate, Permits permits,
			InFlight inFlight, PartitionReader.Receiver receiver) {
		PartitionReader.Reading reading = new PartitionReader.Reading(bench.bean(ReadyMessages.class), () -> {
		}, CONSUMER, Duration.ofMinutes(1), 10, retry(3), new LostMessageLog(partition.queue(), QueueObserver.NONE),
				new NewerRecordLog(partition.queue(), QueueObserver.NONE));
		return new PartitionReader(partition, reading, () -> Duration.ofMinutes(1), gate, permits, inFlight, receiver);
	}

	/** The heartbeat of a consumer that is not reading. */
	static LeaseRenewer leaseRenewer(ActorBench bench, Partition partition, Supplier<Duration> visibilityTimeout,
			RedisGate gate, InFlight inFlight, LeaseRenewer.LostLeases listener, TurnThreads threads) {
		ConsumerPlan plan = new ConsumerPlan(settings(partition, 10, 3), CONSUMER, new OneByOne((delivery) -> null),
				null);
		PartitionReader resting = reader(bench, partition, gate, new Permits(1, () -> {
		}), inFlight, new NoReceiver());
		return new LeaseRenewer(plan, visibilityTimeout, resting, tools(bench, new Signals(), gate, QueueObserver.NONE),
				inFlight, listener, threads);
	}

	/** What was read just now. */
	static DeliveryTask task(Partition partition, Entry entry) {
		long now = System.nanoTime();
		byte[] record = entry.record();
		if (record == null) {
			throw new IllegalArgumentException("Entry " + entry.entry() + " has no record");
		}
		return new DeliveryTask(partition, entry, MessageRecord.from(record), retry(3),
				new DeliveryTask.Lease(0, now, now, Duration.ofSeconds(1)));
	}

	private static final class NoReceiver implements PartitionReader.Receiver {

		@Override
		public boolean isOpen(Partition partition) {
			return false;
		}

		@Override
		public boolean isCautious() {
			return false;
		}

		@Override
		public void received(List<DeliveryTask> tasks) {
		}

		@Override
		public void unreadable(DeliveryTask task, RuntimeException problem) {
		}

		@Override
		public void pauseTurned(boolean paused) {
		}

	}

}
