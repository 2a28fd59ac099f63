package io.delayqueue.actuate;

import java.time.Duration;

import io.delayqueue.queue.Bounds;

/**
 * Thresholds of the health indicator.
 *
 * @param maxOverdue for how long the oldest message of a queue that this process consumes
 * may have been due without a first delivery, 0 for no limit, at most 365 d
 * @param toleratedOutage for how long Redis may be unavailable or a background activity
 * may fail, 0 to 1 h
 * @param evictionChecked whether an eviction policy that may evict messages makes the
 * status DOWN
 */
public record HealthSettings(Duration maxOverdue, Duration toleratedOutage, boolean evictionChecked) {

	/** The bounds of {@code maxOverdue}. */
	public static final Bounds<Duration> MAX_OVERDUE = new Bounds<>(Duration.ZERO, Duration.ofDays(365));

	/** The bounds of {@code toleratedOutage}. */
	public static final Bounds<Duration> TOLERATED_OUTAGE = new Bounds<>(Duration.ZERO, Duration.ofHours(1));

}
