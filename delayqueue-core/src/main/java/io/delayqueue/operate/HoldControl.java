package io.delayqueue.operate;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.delayqueue.DurationText;
import io.delayqueue.HoldException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.fleet.QueueHolds;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Holds;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import org.jspecify.annotations.Nullable;

/**
 * Holds queues and groups for operators, ends holds, and lists holds.
 */
final class HoldControl {

	private static final int MOST_LISTED = 1000;

	private final KnownPartitions known;

	private final Holds holds;

	private final RetryingCalls retryingCalls;

	private final QueueHolds queueHolds;

	HoldControl(KnownPartitions known, RedisCalls calls, RetryingCalls retryingCalls, QueueHolds queueHolds) {
		this.known = known;
		this.holds = new Holds(calls);
		this.retryingCalls = retryingCalls;
		this.queueHolds = queueHolds;
	}

	/**
	 * Holds a queue or a group for a duration, by the clock of Redis. A hold that has
	 * ended before its call arrives changes nothing.
	 * @throws InvalidMessageException if the duration is not positive
	 */
	QueueHold hold(String queue, @Nullable String group, Duration duration, String why) {
		Partition first = this.known.of(queue).get(0);
		HoldException checked = HoldException.queue(duration, why);
		if (duration.isZero() || duration.isNegative()) {
			throw new InvalidMessageException("duration", DurationText.of(duration), "a duration of more than 0");
		}
		long nowMillis = this.retryingCalls.call(queue, () -> this.holds.nowMicros(first)) / 1000;
		QueueHold hold = operator(queue, group, Instant.ofEpochMilli(nowMillis)
			.plusMillis(Objects.requireNonNull(checked.duration()).plusNanos(999_999).toMillis()), why);
		return this.queueHolds.hold(hold, attempt(queue)).orElse(hold);
	}

	/**
	 * Holds a queue or a group until an instant.
	 * @throws InvalidMessageException if the end has passed
	 */
	QueueHold hold(String queue, @Nullable String group, Instant until, String why) {
		this.known.epochs(queue);
		return this.queueHolds.hold(operator(queue, group, until, why), attempt(queue))
			.orElseThrow(() -> new InvalidMessageException("until", until.toString(),
					"after now, by the clock of the Redis master"));
	}

	private QueueHold operator(String queue, @Nullable String group, Instant until, String why) {
		// The exception is not thrown; creating it checks the end and reason of the hold
		HoldException checked = HoldException.queue(until, why);
		return new QueueHold(queue, group, Instant.ofEpochMilli(Objects.requireNonNull(checked.until()).toEpochMilli()),
				By.OPERATOR, this.queueHolds.member(), checked.why());
	}

	void release(String queue, @Nullable String group) {
		boolean isHeld = (group != null) ? isHeld(queue, group) : !holds(queue).isEmpty();
		if (isHeld) {
			this.queueHolds.end(queue, group, attempt(queue));
		}
	}

	private boolean isHeld(String queue, String group) {
		return this.known.of(queue)
			.stream()
			.anyMatch((partition) -> !this.retryingCalls.call(queue, () -> this.holds.ends(partition, List.of(group)))
				.isEmpty());
	}

	List<QueueHold> holds(String queue) {
		return holds(queue, MOST_LISTED);
	}

	private List<QueueHold> holds(String queue, int most) {
		Map<String, QueueHold> holds = new HashMap<>();
		for (Partition partition : this.known.of(queue)) {
			this.retryingCalls.call(queue, () -> this.holds.of(partition, most))
				.forEach((hold) -> holds.merge((hold.group() != null) ? hold.group() : "", hold, HoldControl::later));
		}
		return holds.values()
			.stream()
			.sorted(Comparator.comparing((QueueHold hold) -> hold.group() != null)
				.thenComparing(QueueHold::until)
				.thenComparing(QueueHold::toString))
			.limit(MOST_LISTED)
			.toList();
	}

	/**
	 * Returns the hold of the whole queue, {@code null} if the queue is not held. If the
	 * holds of its partitions end at different times, returns the hold that ends last.
	 */
	@Nullable QueueHold ofQueue(String queue) {
		return holds(queue, 1).stream().filter((hold) -> hold.group() == null).findFirst().orElse(null);
	}

	private static QueueHold later(QueueHold one, QueueHold other) {
		return one.until().isBefore(other.until()) ? other : one;
	}

	private Consumer<Runnable> attempt(String queue) {
		return (step) -> this.retryingCalls.call(queue, () -> {
			step.run();
			return true;
		});
	}

}
