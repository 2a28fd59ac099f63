package io.delayqueue.actuate;

import java.time.Duration;

import io.delayqueue.queue.Bounds;

/**
 * Thresholds of the health indicator.
 *
 * @param maxOverdue the time after which a due message without a first delivery makes the
 * status DOWN, in any queue that this process consumes; 0 for no limit, at most 365 d
 * @param toleratedOutage the time after which an unavailable Redis or a failing
 * background activity makes the status DOWN, 0 to 1 h
 * @param evictionChecked whether an eviction policy that may evict messages makes the
 * status DOWN
 */
public record HealthSettings(Duration maxOverdue, Duration toleratedOutage, boolean evictionChecked) {

	/** The bounds of {@code maxOverdue}. */
	public static final Bounds<Duration> MAX_OVERDUE = new Bounds<>(Duration.ZERO, Duration.ofDays(365));

	/** The bounds of {@code toleratedOutage}. */
	public static final Bounds<Duration> TOLERATED_OUTAGE = new Bounds<>(Duration.ZERO, Duration.ofHours(1));

}
