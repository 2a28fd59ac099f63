package io.delayqueue.maintain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Bounds;

/**
 * How often the keys of a queue are looked after.
 *
 * @param interval how often, on average over all processes, every id of a partition is
 * looked at, 10 s to 1 d; that its counts add up is looked at every minute, or in this
 * interval if it is shorter
 */
public record MaintenanceSettings(Duration interval) {

	/** The bounds of {@code interval}. */
	public static final Bounds<Duration> INTERVAL = new Bounds<>(Duration.ofSeconds(10), Duration.ofDays(1));

	private static final Duration AUDIT = Duration.ofMinutes(1);

	/**
	 * Checks the setting.
	 * @throws IllegalArgumentException if it is out of its bounds
	 */
	public MaintenanceSettings {
		List<String> faults = new ArrayList<>();
		INTERVAL.check(faults, "interval", interval);
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException("Maintenance: " + faults.get(0));
		}
	}

	Duration auditInterval() {
		return (this.interval.compareTo(AUDIT) < 0) ? this.interval : AUDIT;
	}

}
