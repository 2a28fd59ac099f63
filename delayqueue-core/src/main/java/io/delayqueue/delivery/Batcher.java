package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import org.jspecify.annotations.Nullable;

/**
 * Collects the deliveries of a consumer into batches. If batches are by group, each group
 * has an open batch of its own; otherwise all deliveries share one open batch. A message
 * that has failed before becomes a batch of its own at once, because that message may be
 * the cause of the failure. The batcher closes an open batch in the following cases; the
 * handler can then begin with the batch:
 * <ol>
 * <li>when the batch is full, or contains as many messages as its group may have in
 * flight;</li>
 * <li>when the configured wait since the first delivery of the batch has passed; one
 * timer serves all batches;</li>
 * <li>when waiting deliveries hold all permits, so that no further message can be read:
 * then the largest batch is closed.</li>
 * </ol>
 * Safe for use by several threads.
 */
final class Batcher {

	private static final Comparator<DeliveryTask> ORDER = Comparator.comparingLong(DeliveryTask::dueMillis)
		.thenComparing(DeliveryTask::id);

	/** The map key for messages without a group key; a group key is never empty. */
	private static final String NO_GROUP = "";

	private static final long NOTHING_WAITS = TimeUnit.HOURS.toNanos(1);

	// immutable

	private final BatchSettings settings;

	private final ConsumerState state;

	private final int permits;

	private final Consumer<List<List<DeliveryTask>>> beginning;

	private final Task task;

	// guarded by this

	/** The open batches by group, in the order of their first deliveries. */
	private final Map<String, Collected> collected = new LinkedHashMap<>();

	private int waiting;

	/**
	 * Creates a batcher without deliveries.
	 * @param settings how the consumer collects batches
	 * @param state the state of the consumer
	 * @param group the only group whose messages this batcher gets, {@code null} for
	 * messages of any group
	 * @param beginning takes the batches that the timer closes
	 * @param tasks runs the timer
	 */
	Batcher(BatchSettings settings, ConsumerState state, @Nullable String group,
			Consumer<List<List<DeliveryTask>>> beginning, TaskPool tasks) {
		this.settings = settings;
		this.state = state;
		this.permits = (group != null) ? limitOf(group) : state.settings().concurrency();
		this.beginning = beginning;
		this.task = tasks.task("delayqueue-batch-" + state.queue() + ((group != null) ? "-" + group : ""),
				this::closeDue);
	}

	/** An open batch, to which the batcher still adds deliveries. */
	private record Collected(List<DeliveryTask> tasks, long sinceNanos) {
	}

	/**
	 * Adds deliveries, and returns the batches that are closed now, so that the handler
	 * can begin with them.
	 */
	List<List<DeliveryTask>> add(List<DeliveryTask> tasks) {
		List<List<DeliveryTask>> closed = new ArrayList<>();
		long waitNanos;
		synchronized (this) {
			long now = System.nanoTime();
			for (DeliveryTask task : tasks) {
				if (task.hasFailed()) {
					closed.add(List.of(task));
					continue;
				}
				String group = group(task);
				List<DeliveryTask> others = this.collected
					.computeIfAbsent(group, (absent) -> new Collected(new ArrayList<>(), now))
					.tasks();
				others.add(task);
				this.waiting++;
				if (others.size() == mostOf(group)) {
					closed.add(close(group));
				}
			}
			if (this.waiting >= this.permits) {
				closed.add(close(largest()));
			}
			waitNanos = closeDue(now, closed);
		}
		if (waitNanos != NOTHING_WAITS) {
			this.task.dueIn(waitNanos);
		}
		return closed;
	}

	/** Removes and returns all deliveries that wait in open batches. */
	synchronized List<DeliveryTask> takeWaiting() {
		List<DeliveryTask> taken = this.collected.values().stream().flatMap((one) -> one.tasks().stream()).toList();
		this.collected.clear();
		this.waiting = 0;
		return taken;
	}

	/** Removes and returns the deliveries in open batches that match the predicate. */
	synchronized List<DeliveryTask> takeWaiting(Predicate<DeliveryTask> which) {
		List<DeliveryTask> taken = new ArrayList<>();
		for (Collected batch : this.collected.values()) {
			batch.tasks().stream().filter(which).forEach(taken::add);
			batch.tasks().removeIf(which);
		}
		this.collected.values().removeIf((batch) -> batch.tasks().isEmpty());
		this.waiting -= taken.size();
		return taken;
	}

	void stop() {
		this.task.stop();
	}

	private Pause closeDue() {
		List<List<DeliveryTask>> closed = new ArrayList<>();
		long waitNanos;
		synchronized (this) {
			waitNanos = closeDue(System.nanoTime(), closed);
		}
		if (!closed.isEmpty()) {
			this.beginning.accept(closed);
		}
		return Pause.of(waitNanos);
	}

	/**
	 * Closes the batches whose wait has passed, and returns the time until the next batch
	 * must be closed, ns.
	 */
	private long closeDue(long now, List<List<DeliveryTask>> closed) {
		Iterator<Collected> oldestFirst = this.collected.values().iterator();
		while (oldestFirst.hasNext()) {
			Collected oldest = oldestFirst.next();
			long left = this.settings.patience().toNanos() - (now - oldest.sinceNanos());
			if (left > 0) {
				return left;
			}
			oldestFirst.remove();
			closed.add(closed(oldest));
		}
		return NOTHING_WAITS;
	}

	private List<DeliveryTask> close(String group) {
		return closed(Objects.requireNonNull(this.collected.remove(group)));
	}

	private List<DeliveryTask> closed(Collected batch) {
		this.waiting -= batch.tasks().size();
		return batch.tasks().stream().sorted(ORDER).toList();
	}

	/**
	 * Returns the group of the largest open batch, or of the oldest among equally large
	 * batches.
	 */
	private String largest() {
		return this.collected.entrySet()
			.stream()
			.max(Comparator.comparingInt((one) -> one.getValue().tasks().size()))
			.orElseThrow()
			.getKey();
	}

	private int mostOf(String group) {
		return group.equals(NO_GROUP) ? this.settings.most() : Math.min(this.settings.most(), limitOf(group));
	}

	/**
	 * Returns how many messages of a group may be ready or pending at once, in all
	 * processes together.
	 */
	private int limitOf(String group) {
		return this.state.settings().groups().limitOf(group, this.state.settings().concurrency());
	}

	private String group(DeliveryTask task) {
		String group = this.settings.byGroup() ? task.group() : null;
		return (group != null) ? group : NO_GROUP;
	}

}
