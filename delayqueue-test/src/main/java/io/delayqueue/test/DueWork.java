package io.delayqueue.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.delayqueue.MessageState;
import io.delayqueue.RecurringPage;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.MessagePages.MessageList;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.Queues;
import io.delayqueue.schedule.UnsentCalls;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.Snapshots;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Finds due messages of the queues that listeners of this application handle, and waits
 * until these messages are handled. Queues that are paused are ignored.
 */
final class DueWork implements AopInfrastructureBean {

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long MICROS_PER_MILLI = 1000;

	private static final int MAX_LISTED = 10;

	private static final int PAGE = 1000;

	private final DelayedListenerRegistry listeners;

	private final Queues queues;

	private final QueueDirectory directory;

	private final Snapshots snapshots;

	private final MessagePages pages;

	private final DelayQueueEngine engine;

	private final List<UnsentCalls> outboxes;

	/**
	 * Whether the recurring schedules that listeners declare have been found in Redis
	 * during the current test.
	 */
	private volatile boolean declared;

	DueWork(DelayedListenerRegistry listeners, DelayQueueEngine engine, List<UnsentCalls> outboxes) {
		this.listeners = listeners;
		this.queues = engine.queues();
		this.directory = engine.directory();
		this.snapshots = new Snapshots(engine.calls());
		this.pages = new MessagePages(engine.calls());
		this.engine = engine;
		this.outboxes = outboxes;
	}

	/**
	 * Returns the earliest due time of a message or a recurring schedule, {@code null} if
	 * nothing is scheduled.
	 */
	@Nullable Instant nextDue() {
		return partitions().stream()
			.map(this.snapshots::of)
			.filter((snapshot) -> snapshot.pausedSinceMillis() == 0)
			.flatMap(
					(snapshot) -> Stream.of(
							(snapshot.nextDueMillis() >= 0)
									? Math.max(snapshot.nextDueMillis(), snapshot.heldUntilMillis()) : -1,
							snapshot.nextRecurrenceMillis()))
			.filter((millis) -> millis >= 0)
			.map(Instant::ofEpochMilli)
			.min(Instant::compareTo)
			.orElse(null);
	}

	/**
	 * Waits until two checks in a row have found no due message and no due recurring
	 * schedule. One check is not enough, because a handler may schedule a message that is
	 * due at once in a queue that the check has already passed.
	 */
	void await(Duration limit) {
		long begin = System.nanoTime();
		int quiet = 0;
		awaitDeclared(begin + limit.toNanos());
		while (quiet < 2) {
			awaitSent(limit);
			List<Partition> busy = partitions().stream().filter(this::isBusy).toList();
			quiet = busy.isEmpty() ? quiet + 1 : 0;
			busy.forEach((partition) -> {
				this.engine.signals().due(partition, 0);
				this.engine.recurringAdvancer().due(partition, 0);
			});
			if (!busy.isEmpty()) {
				if (System.nanoTime() - begin > limit.toNanos()) {
					throw new AssertionError("Not handled within " + limit.toSeconds() + " s: "
							+ String.join("; ", busy.stream().map(this::describe).toList()));
				}
				LockSupport.parkNanos(POLL_NANOS);
			}
		}
	}

	/** Waits until outboxes have sent the calls of all committed transactions. */
	void awaitSent(Duration limit) {
		long begin = System.nanoTime();
		while (!this.outboxes.stream().allMatch(UnsentCalls::isEmpty)) {
			if (System.nanoTime() - begin > limit.toNanos()) {
				throw new AssertionError("The outbox has not sent all its rows within " + limit.toSeconds() + " s");
			}
			LockSupport.parkNanos(POLL_NANOS);
		}
	}

	/** Waits until the recurring schedules that listeners declare are stored in Redis. */
	private void awaitDeclared(long until) {
		while (!this.declared) {
			this.engine.declaredSchedules().storeNow();
			Set<String> served = queues().collect(Collectors.toSet());
			this.declared = until - System.nanoTime() <= 0 || this.listeners.declared()
				.stream()
				.filter((schedule) -> served.contains(schedule.queue()))
				.allMatch((schedule) -> this.engine.recurring().get(schedule.queue(), schedule.key()).isPresent());
			LockSupport.parkNanos(POLL_NANOS);
		}
	}

	/**
	 * Returns the recurring schedules of all queues whose listener in this application is
	 * running and not paused.
	 */
	List<RecurringSnapshot> schedules() {
		List<RecurringSnapshot> schedules = new ArrayList<>();
		queues().distinct().forEach((queue) -> {
			String cursor = null;
			do {
				RecurringPage page = this.engine.recurring().list(queue, cursor, PAGE);
				schedules.addAll(page.schedules());
				cursor = page.cursor();
			}
			while (cursor != null);
		});
		return schedules;
	}

	/**
	 * Begins a new test, in which the recurring schedules have not been found in Redis
	 * yet.
	 */
	void reset() {
		this.declared = false;
	}

	/**
	 * Returns all queues whose listener in this application is running and not paused.
	 */
	private Stream<String> queues() {
		return this.listeners.containers()
			.stream()
			.filter((container) -> container.isRunning() && !container.isPaused())
			.map(DelayedListenerContainer::queue);
	}

	private List<Partition> partitions() {
		return queues().flatMap((queue) -> this.directory.find(this.queues.settings(queue)).partitions().stream())
			.toList();
	}

	private boolean isBusy(Partition partition) {
		PartitionSnapshot found = this.snapshots.of(partition);
		boolean active = found.overdue() > 0 || found.ready() > 0 || (found.parked() > 0 && found.heldGroups() == 0);
		boolean recurs = found.nextRecurrenceMillis() >= 0
				&& found.nextRecurrenceMillis() <= found.nowMicros() / MICROS_PER_MILLI;
		return found.pending() > 0 || recurs || (active && !found.isStopped());
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
		MessageList list = new MessageList(this.directory.find(this.queues.settings(partition.queue())), state, null);
		return this.pages.list(list, null, MAX_LISTED + 1, UnaryOperator.identity())
			.messages()
			.stream()
			.filter((placed) -> placed.partition().equals(partition))
			.map(MessagePages.Placed::message)
			.filter((message) -> state != MessageState.SCHEDULED || message.atMillis() <= now)
			.map((message) -> message.storedId() + " is " + state
					+ (message.failure().failures() > 0 ? " after " + message.failure().failures() + " failures" : ""))
			.toList();
	}

}
