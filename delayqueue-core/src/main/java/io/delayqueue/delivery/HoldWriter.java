package io.delayqueue.delivery;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.delivery.Settlement.Hold;
import io.delayqueue.fleet.QueueHolds;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Stores the holds that handlers request by throwing a {@code HoldException}; a hold
 * stops the delivery of a queue or of a group until a time. If a batch of settlements
 * contains several holds of one group, the writer stores only the hold that ends last.
 * Safe for use by several threads.
 * <ol>
 * <li>The writer stores the hold in the partition of the message before the consumer
 * defers the message whose handler requested the hold;</li>
 * <li>another thread stores the hold in the other partitions; the consumer waits for it,
 * but only for a short time, because another server may hang;</li>
 * <li>a partition that does not answer is skipped; the next handler that gets a message
 * of that partition can request the hold again.</li>
 * </ol>
 */
final class HoldWriter {

	private static final Log logger = LogFactory.getLog(HoldWriter.class);

	/** The longest time for which settlements wait for the other partitions. */
	private static final long PATIENCE_MILLIS = 100;

	/** The most holds that are stored in other partitions at the same time. */
	private static final int MOST_AT_ONCE = 32;

	private final ConsumerState state;

	private final QueueHolds queueHolds;

	private final TaskPool tasks;

	private final Semaphore free = new Semaphore(MOST_AT_ONCE);

	HoldWriter(ConsumerState state, QueueHolds queueHolds, TaskPool tasks) {
		this.state = state;
		this.queueHolds = queueHolds;
		this.tasks = tasks;
	}

	/** Stores the holds that settlements of a partition contain. */
	void hold(Partition partition, List<Settlement> settlements) {
		CompletableFuture<?>[] others = longest(
				settlements.stream().map(Settlement::hold).filter(Objects::nonNull).toList())
			.stream()
			.map((hold) -> hold(partition, hold))
			.toArray(CompletableFuture<?>[]::new);
		try {
			CompletableFuture.allOf(others).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException late) {
			logger.debug("A hold of queue '" + this.state.queue() + "' is not stored in all partitions yet", late);
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private static Collection<Hold> longest(List<Hold> holds) {
		Map<String, Hold> longest = new HashMap<>();
		holds.forEach((hold) -> longest.merge((hold.group() != null) ? hold.group() : "", hold,
				(one, other) -> one.until().isBefore(other.until()) ? other : one));
		return longest.values();
	}

	/** Stores a hold in the partition, and begins to store it in the others. */
	private CompletableFuture<Void> hold(Partition partition, Hold hold) {
		Runnable others = this.queueHolds.holdFirst(partition, this.state.settings(), new QueueHold(this.state.queue(),
				hold.group(), hold.until(), By.HANDLER, this.queueHolds.member(), hold.why()), this::attempt);
		if (!this.free.tryAcquire()) {
			warn("too many partitions do not answer");
			return CompletableFuture.completedFuture(null);
		}
		CompletableFuture<Void> stored = new CompletableFuture<>();
		try {
			this.tasks.execute("delayqueue-hold-" + this.state.queue(), () -> {
				try {
					attempt(others);
				}
				finally {
					this.free.release();
					stored.complete(null);
				}
			});
		}
		catch (RejectedExecutionException closing) {
			this.free.release();
			stored.complete(null);
		}
		return stored;
	}

	private void attempt(Runnable step) {
		try {
			step.run();
		}
		catch (StoreException failure) {
			this.state.gate().failed(failure);
			warn(String.valueOf(failure.getMessage()));
		}
	}

	private void warn(String why) {
		logger.warn("A hold of queue '" + this.state.queue()
				+ "' could not be stored in all partitions: partitions without the hold may still"
				+ " deliver messages: " + why);
	}

}
