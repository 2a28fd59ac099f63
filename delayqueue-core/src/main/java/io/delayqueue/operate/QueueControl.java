package io.delayqueue.operate;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

import io.delayqueue.RateLimit;
import io.delayqueue.admin.QueueStatus;
import io.delayqueue.fleet.EachServer;
import io.delayqueue.fleet.EpochLayouts;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Budgets;
import io.delayqueue.store.PartitionControl;
import io.delayqueue.store.PartitionControl.Setting;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Pauses, resumes, drains and reopens queues, and sets their rate limits. For each
 * partition this class sets a switch in Redis and then publishes a hint. When a process
 * that consumes the partition receives the hint, it reads the switches of the partition.
 */
final class QueueControl {

	private static final Log logger = LogFactory.getLog(QueueControl.class);

	private final KnownPartitions known;

	private final PartitionControl partitionControl;

	private final EpochLayouts epochLayouts;

	private final Budgets budgets;

	private final RetryingCalls retryingCalls;

	private final Wakeups wakeups;

	private final EachServer eachServer;

	private final HoldControl holdControl;

	QueueControl(KnownPartitions known, RedisCalls calls, RetryingCalls retryingCalls, Wakeups wakeups,
			HoldControl holdControl) {
		this.known = known;
		this.partitionControl = new PartitionControl(calls);
		this.epochLayouts = new EpochLayouts(calls);
		this.budgets = new Budgets(calls);
		this.retryingCalls = retryingCalls;
		this.wakeups = wakeups;
		this.eachServer = new EachServer(calls);
		this.holdControl = holdControl;
	}

	QueueStatus turn(String queue, Switch which, boolean on) {
		Map<Partition, Setting> settings = new ConcurrentHashMap<>();
		Epochs epochs = this.known.epochs(queue);
		Epochs before;
		// Repeat until the epochs (partition counts) stay the same: partitions of a new
		// epoch copy their switches from an older epoch, perhaps before this method has
		// set the switch there
		do {
			Epochs current = epochs;
			for (Epoch epoch : epochs.epochs()) {
				Optional<Setting> older = settings.values().stream().findFirst();
				this.eachServer.run(epochs.partitions(epoch), (partition) -> {
					if (!settings.containsKey(partition)) {
						settings.put(partition, turn(current, epoch, partition, older, which, on));
					}
				});
			}
			before = epochs;
			epochs = this.known.epochs(queue);
		}
		while (!epochs.equals(before));
		QueueStatus status = status(queue, settings.values());
		logger.info("Queue '" + queue + "': " + word(which, on) + " requested");
		return status;
	}

	private Setting turn(Epochs epochs, Epoch epoch, Partition partition, Optional<Setting> older, Switch which,
			boolean on) {
		return this.retryingCalls.call(partition.queue(), () -> {
			if (partition.epoch() > 0 && older.isPresent()) {
				this.epochLayouts.layOut(epochs, epoch, List.of(partition), older.get());
			}
			Setting setting = this.partitionControl.turn(partition, which, on);
			this.wakeups.switched(partition);
			return setting;
		});
	}

	/**
	 * Stores the rate limit of a queue in Redis, or removes the stored limit if
	 * {@code limit} is {@code null}.
	 */
	void limit(String queue, @Nullable RateLimit limit) {
		this.known.epochs(queue);
		this.retryingCalls.call(queue, () -> {
			this.budgets.rate(queue, limit);
			return true;
		});
		turn(queue, Switch.LIMITED, limit != null);
	}

	/**
	 * Returns the rate limit that Redis stores for a queue, {@code null} if none is
	 * stored.
	 */
	@Nullable RateLimit limit(String queue) {
		this.known.epochs(queue);
		return this.retryingCalls.call(queue, () -> Optional.ofNullable(this.budgets.rate(queue))).orElse(null);
	}

	QueueStatus status(String queue) {
		return status(queue,
				this.known.of(queue)
					.stream()
					.map((partition) -> this.retryingCalls.call(queue, () -> this.partitionControl.of(partition)))
					.toList());
	}

	private QueueStatus status(String queue, Collection<Setting> settings) {
		return new QueueStatus(queue, earliest(settings, Setting::pausedSinceMillis),
				earliest(settings, Setting::drainingSinceMillis), this.holdControl.ofQueue(queue));
	}

	private static @Nullable Instant earliest(Collection<Setting> settings, ToLongFunction<Setting> sinceMillis) {
		return settings.stream()
			.mapToLong(sinceMillis)
			.filter((since) -> since > 0)
			.mapToObj(Instant::ofEpochMilli)
			.min(Instant::compareTo)
			.orElse(null);
	}

	private static String word(Switch which, boolean on) {
		return switch (which) {
			case PAUSED -> on ? "pause" : "resume";
			case DRAINING -> on ? "drain" : "reopen";
			case LIMITED -> on ? "rate limit" : "end of the rate limit";
		};
	}

}
