package io.delayqueue.maintain;

import java.time.Duration;

/**
 * How often the keys of a queue are looked after.
 *
 * @param interval how often, on average over all processes, every id of a partition is
 * looked at, 10 s to 1 d; that its counts add up is looked at every minute, or in this
 * interval if it is shorter
 */
public record MaintenanceSettings(Duration interval) {

	private static final Duration SHORTEST = Duration.ofSeconds(10);

	private static final Duration LONGEST = Duration.ofDays(1);

	private static final Duration AUDIT = Duration.ofMinutes(1);

	/**
	 * Checks the setting.
	 * @throws IllegalArgumentException if it is out of its bounds
	 */
	public MaintenanceSettings {
		if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"delayqueue.maintenance.interval is " + interval + " but must be from PT10S to PT24H");
		}
	}

	Duration auditInterval() {
		return (this.interval.compareTo(AUDIT) < 0) ? this.interval : AUDIT;
	}

}
