package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.Partition;

/**
 * Measures for how long Redis has been unavailable.
 * <ol>
 * <li>Until Redis has answered once, each call of {@code awayFor} sends a PING, and the
 * outage counts as infinite.</li>
 * <li>After the first answer, {@code awayFor} sends no PING if background activities call
 * Redis all the time: these activities detect an outage, and the gate measures its
 * duration.</li>
 * <li>Without background activities, as in an application that only schedules messages,
 * each call of {@code awayFor} sends a PING, and the outage is the time since the last
 * answer.</li>
 * </ol>
 * The timeouts of the application's Redis client limit how long a PING takes. Safe for
 * use by several threads.
 */
public final class RedisPresence {

	static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

	private final RedisGate gate;

	private final BooleanSupplier answers;

	private final Supplier<List<String>> faults;

	private final Supplier<Map<Partition, String>> foreignLayouts;

	/**
	 * Creates the measurement. Redis counts as unavailable until its first answer.
	 * @param gate stops calls while Redis is unavailable
	 * @param answers sends a PING, and returns whether Redis answers
	 * @param faults returns the reasons why this Redis cannot be used for delayed
	 * messages
	 * @param foreignLayouts returns the partitions with the layout of another library
	 * version
	 */
	public RedisPresence(RedisGate gate, BooleanSupplier answers, Supplier<List<String>> faults,
			Supplier<Map<Partition, String>> foreignLayouts) {
		this.gate = gate;
		this.answers = answers;
		this.faults = faults;
		this.foreignLayouts = foreignLayouts;
	}

	/**
	 * Returns for how long Redis has been unavailable.
	 * @param active whether background activities call Redis all the time
	 * @return the duration, 0 if Redis is available
	 */
	Duration awayFor(boolean active) {
		if (active && this.gate.sinceAnswer() != null) {
			return this.gate.closedFor();
		}
		if (this.answers.getAsBoolean()) {
			this.gate.answered();
			return Duration.ZERO;
		}
		return Objects.requireNonNullElse(this.gate.sinceAnswer(), FOR_EVER);
	}

	/** Returns whether background activities have found Redis unavailable. */
	boolean isGateClosed() {
		return !this.gate.isOpen();
	}

	/**
	 * Returns the reasons why this Redis cannot be used for delayed messages, as found by
	 * the last check.
	 */
	List<String> faults() {
		return this.faults.get();
	}

	/**
	 * Returns the partitions whose keys have the layout of another library version, each
	 * with a description of the problem.
	 */
	Map<Partition, String> foreignLayouts() {
		return this.foreignLayouts.get();
	}

}
