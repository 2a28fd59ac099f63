package io.delayqueue.operate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import io.delayqueue.admin.QueueStatus;
import io.delayqueue.fleet.SweepNotifier;
import io.delayqueue.store.Partition;
import io.delayqueue.store.PartitionControl;
import io.delayqueue.store.PartitionControl.Setting;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Pauses, resumes, drains and reopens queues: sets the switch of each partition, then
 * wakes the sweepers of all processes, which notify the consumers of their process.
 */
final class QueueControl {

	private static final Log logger = LogFactory.getLog(QueueControl.class);

	private final KnownPartitions known;

	private final PartitionControl partitionControl;

	private final RetryingCalls retryingCalls;

	private final SweepNotifier notifier;

	QueueControl(KnownPartitions known, RedisCalls calls, RetryingCalls retryingCalls, SweepNotifier notifier) {
		this.known = known;
		this.partitionControl = new PartitionControl(calls);
		this.retryingCalls = retryingCalls;
		this.notifier = notifier;
	}

	QueueStatus turn(String queue, Switch which, boolean on) {
		QueueStatus status = each(queue, (partition) -> {
			Setting setting = this.partitionControl.turn(partition, which, on);
			this.notifier.switched(partition);
			return setting;
		});
		logger.info("Queue '" + queue + "': " + word(which, on) + " requested");
		return status;
	}

	QueueStatus status(String queue) {
		return each(queue, this.partitionControl::of);
	}

	private QueueStatus each(String queue, Function<Partition, Setting> call) {
		List<Setting> settings = new ArrayList<>();
		for (Partition partition : this.known.of(queue)) {
			settings.add(this.retryingCalls.call(queue, () -> call.apply(partition)));
		}
		return new QueueStatus(queue, earliest(settings, Setting::pausedSinceMillis),
				earliest(settings, Setting::drainingSinceMillis));
	}

	private static @Nullable Instant earliest(List<Setting> settings, ToLongFunction<Setting> sinceMillis) {
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
		};
	}

}
