package io.delayqueue.maintain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Bounds;

/**
 * The intervals at which the library audits and repairs the keys of a queue.
 *
 * @param interval the interval at which the owner of a partition checks every message id
 * of the partition
 * @param auditInterval the interval at which the owner of a partition compares the counts
 * of the partition's keys
 */
public record MaintenanceSettings(Duration interval, Duration auditInterval) {

	/** The bounds of {@code interval}. */
	public static final Bounds<Duration> INTERVAL = new Bounds<>(Duration.ofSeconds(10), Duration.ofDays(1));

	private static final Duration AUDIT = Duration.ofMinutes(1);

	/**
	 * Returns settings with an audit every minute, or once in each interval if the
	 * interval is shorter than a minute.
	 * @param interval the interval at which every message id of a partition is checked,
	 * 10 s to 1 d
	 * @return the settings
	 * @throws IllegalArgumentException if the interval is out of its bounds
	 */
	public static MaintenanceSettings every(Duration interval) {
		List<String> faults = new ArrayList<>();
		INTERVAL.check(faults, "interval", interval);
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException("Maintenance: " + faults.get(0));
		}
		return new MaintenanceSettings(interval, (interval.compareTo(AUDIT) < 0) ? interval : AUDIT);
	}

}
