package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.Partition;
import org.jspecify.annotations.Nullable;

/**
 * For how long Redis has been away.
 * <ol>
 * <li>Until it has answered once, it is asked by each call, and its absence has lasted
 * for ever.</li>
 * <li>After that, where background activities call it all the time, they notice its
 * absence and the gate keeps the time: it is not asked.</li>
 * <li>Where nobody does, as in an application that only schedules, it is asked by each
 * call, and its absence has lasted since it was last found.</li>
 * </ol>
 * To ask is one PING; it takes no longer than the timeouts of the application's Redis
 * client. Safe for use by several threads.
 */
final class RedisPresence {

	static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

	private final RedisGate gate;

	private final BooleanSupplier answers;

	private final Supplier<List<String>> faults;

	private final Supplier<Map<Partition, String>> foreignLayouts;

	private volatile @Nullable Long foundAtNanos;

	RedisPresence(RedisGate gate, BooleanSupplier answers, Supplier<List<String>> faults,
			Supplier<Map<Partition, String>> foreignLayouts) {
		this.gate = gate;
		this.answers = answers;
		this.faults = faults;
		this.foreignLayouts = foreignLayouts;
	}

	/**
	 * For how long Redis has been away.
	 * @param active whether background activities call Redis all the time
	 * @return 0 if it is there
	 */
	Duration awayFor(boolean active) {
		Long found = this.foundAtNanos;
		if (found != null && active) {
			return this.gate.closedFor();
		}
		if (this.answers.getAsBoolean()) {
			this.foundAtNanos = System.nanoTime();
			return Duration.ZERO;
		}
		return (found != null) ? Duration.ofNanos(System.nanoTime() - found) : FOR_EVER;
	}

	/** Why delayed messages cannot work with it, as it was last looked at. */
	List<String> faults() {
		return this.faults.get();
	}

	/** The partitions that are left to another version, and what was said of them. */
	Map<Partition, String> foreignLayouts() {
		return this.foreignLayouts.get();
	}

}
