package io.delayqueue.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import io.delayqueue.MessageState;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.MessagePages.MessageList;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.Snapshots;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Finds and awaits due messages of the queues that listeners of this application handle.
 * Paused queues are ignored.
 */
final class DueWork {

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final int MAX_LISTED = 10;

	private final DelayedListenerRegistry listeners;

	private final Queues queues;

	private final QueueDirectory directory;

	private final Snapshots snapshots;

	private final MessagePages pages;

	private final Signals signals;

	DueWork(DelayedListenerRegistry listeners, DelayQueueEngine engine) {
		this.listeners = listeners;
		this.queues = engine.queues();
		this.directory = engine.directory();
		this.snapshots = new Snapshots(engine.calls());
		this.pages = new MessagePages(engine.calls());
		this.signals = engine.signals();
	}

	/**
	 * Returns the next due time in the future, {@code null} if there is none.
	 */
	@Nullable Instant nextDue() {
		return partitions().stream()
			.map(this.snapshots::of)
			.filter((snapshot) -> snapshot.pausedSinceMillis() == 0 && snapshot.nextDueMillis() >= 0)
			.map((snapshot) -> Instant.ofEpochMilli(Math.max(snapshot.nextDueMillis(), snapshot.heldUntilMillis())))
			.min(Instant::compareTo)
			.orElse(null);
	}

	/**
	 * Waits until no message is due. Checks twice, because a handler may schedule a
	 * message that is due at once to a queue that was checked before.
	 */
	void await(Duration limit) {
		long begin = System.nanoTime();
		int quiet = 0;
		while (quiet < 2) {
			List<Partition> busy = partitions().stream().filter(this::isBusy).toList();
			quiet = busy.isEmpty() ? quiet + 1 : 0;
			busy.forEach((partition) -> this.signals.due(partition, 0));
			if (!busy.isEmpty()) {
				if (System.nanoTime() - begin > limit.toNanos()) {
					throw new AssertionError("Not handled within " + limit.toSeconds() + " s: "
							+ String.join("; ", busy.stream().map(this::describe).toList()));
				}
				LockSupport.parkNanos(POLL_NANOS);
			}
		}
	}

	private List<Partition> partitions() {
		List<Partition> partitions = new ArrayList<>();
		for (DelayedListenerContainer container : this.listeners.containers()) {
			if (container.isRunning() && !container.isPaused()) {
				partitions.addAll(this.directory.lookUp(this.queues.settings(container.queue())).partitions());
			}
		}
		return partitions;
	}

	private boolean isBusy(Partition partition) {
		PartitionSnapshot found = this.snapshots.of(partition);
		boolean active = found.overdue() > 0 || found.ready() > 0 || (found.parked() > 0 && found.heldGroups() == 0);
		return found.pending() > 0 || (active && !found.isStopped());
	}

	private String describe(Partition partition) {
		List<String> messages = new ArrayList<>();
		for (MessageState state : MessageState.values()) {
			if (state != MessageState.DEAD && state != MessageState.FINISHED) {
				messages.addAll(describe(partition, state));
			}
		}
		return "queue '" + partition.queue() + "': " + String.join(", ", messages.stream().limit(MAX_LISTED).toList())
				+ ((messages.size() > MAX_LISTED) ? " and more" : "");
	}

	private List<String> describe(Partition partition, MessageState state) {
		long now = this.snapshots.of(partition).nowMicros() / 1000;
		MessageList list = new MessageList(this.directory.lookUp(this.queues.settings(partition.queue())), state, null);
		return this.pages.list(list, null, MAX_LISTED + 1, UnaryOperator.identity())
			.messages()
			.stream()
			.filter((placed) -> placed.partition().equals(partition))
			.map(MessagePages.Placed::message)
			.filter((message) -> state != MessageState.SCHEDULED || message.atMillis() <= now)
			.map((message) -> "'" + message.id() + "' is " + state
					+ (message.failure().failures() > 0 ? " after " + message.failure().failures() + " failures" : ""))
			.toList();
	}

}
