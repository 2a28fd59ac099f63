package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.ReadyMessages.Entry;

/**
 * Arguments of the actors of one partition. All but the subject of a test is as it is by
 * default.
 */
final class TestActors {

	/** The consumer whose actors are tested. */
	static final String CONSUMER = "tested";

	private TestActors() {
	}

	static QueueSettings settings(Partition partition, int concurrency, int maxCrashes) {
		return settings(partition, concurrency, maxCrashes, FlowSettings.NONE);
	}

	static QueueSettings settings(Partition partition, int concurrency, int maxCrashes, FlowSettings flow) {
		return settings(partition, concurrency, retry(maxCrashes), flow);
	}

	static QueueSettings settings(Partition partition, int concurrency, RetrySettings retry, FlowSettings flow) {
		return settings(partition, concurrency, retry, GroupSettings.NONE, flow);
	}

	static QueueSettings settings(Partition partition, int concurrency, RetrySettings retry, GroupSettings groups,
			FlowSettings flow) {
		return new QueueSettings(partition.queue(), 1, concurrency, Duration.ofSeconds(1), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, groups, ExpirySettings.NEVER, flow,
				EndSettings.NONE);
	}

	static RetrySettings retry(int maxCrashes) {
		return new RetrySettings(5, maxCrashes, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
	}

	/** The state of a consumer of one partition that is not paused. */
	static ConsumerState state(Partition partition, int concurrency) {
		return state(settings(partition, concurrency, 3), new RedisGate(new TaskPool(), null));
	}

	/** The state of a consumer that is not paused. */
	static ConsumerState state(QueueSettings settings, RedisGate gate) {
		return new ConsumerState(settings, CONSUMER, () -> false, gate, Duration.ofMinutes(1), new SuspectIsolation());
	}

	/** The state of the first partition. */
	static PartitionState first(ConsumerState state) {
		return state.partition(new Partition(state.queue(), 0));
	}

	static SettlementListener listener(ActorBench bench, ConsumerState state, Signals signals, QueueObserver observer) {
		return new SettlementListener(state, signals, bench.wakeups(signals, bench.fleet(new Signals(), state.gate())),
				observer);
	}

	/** A message that was read just now. */
	static DeliveryTask task(Partition partition, Entry entry) {
		long now = System.nanoTime();
		byte[] record = entry.record();
		if (record == null) {
			throw new IllegalArgumentException("Entry " + entry.entry() + " has no record");
		}
		return new DeliveryTask(partition, entry, MessageRecord.from(record), retry(3),
				new ReadLease(0, now, now, Duration.ofSeconds(1)));
	}

	/** Adds deliveries to those that a consumer holds. */
	static void hold(ConsumerState state, List<DeliveryTask> tasks) {
		state.permits().take(tasks.size());
		state.received(tasks);
		state.dispatched();
	}

}
