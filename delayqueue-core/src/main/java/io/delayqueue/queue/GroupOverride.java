package io.delayqueue.queue;

import java.util.List;

import io.delayqueue.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one group (the messages of one group key) of a queue.
 *
 * @param weight the multiplier of the group's fair share, 1 to 100
 * @param concurrency the most messages of the group that are ready or pending at once,
 * instead of the queue's {@code group.concurrency}, 1 to 10,000; {@code null} for the
 * queue's value
 * @param rateLimit the highest rate at which messages of the group are handed to
 * handlers, instead of the queue's {@code group.rate-limit}; {@code null} for the queue's
 * value
 * @param dedicated whether the group has workers of its own in each process
 */
public record GroupOverride(int weight, @Nullable Integer concurrency, @Nullable RateLimit rateLimit,
		boolean dedicated) {

	/** The bounds of {@code weight}. */
	public static final Bounds<Integer> WEIGHT = new Bounds<>(1, 100);

	/** The bounds of {@code concurrency}. */
	public static final Bounds<Integer> CONCURRENCY = new Bounds<>(1, 10_000);

	/** Adds an error message for each setting that is out of its bounds. */
	void check(List<String> faults, String name) {
		WEIGHT.check(faults, name + ".weight", this.weight);
		if (this.concurrency != null) {
			CONCURRENCY.check(faults, name + ".concurrency", this.concurrency);
		}
	}

}
