package io.delayqueue.maintain;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.ScheduleResult;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Snapshots;
import io.delayqueue.store.StoredId;
import io.delayqueue.store.Trends;
import org.jspecify.annotations.Nullable;

/**
 * Counts what this process does with the messages of each queue, and adds the counts to
 * the trends of the queues, every ten seconds with one call for each queue that has
 * changed. The owner of the newest epoch's first partition also counts the waiting
 * messages of the queue, every minute with one call for each partition. A message costs
 * no call.
 *
 * <p>
 * While Redis is unavailable, counts wait in this process. Counts of the last ten seconds
 * before the process ends are lost.
 */
public final class TrendRecorder implements QueueObserver, Signals.QueueListener {

	private static final long SAMPLE_NANOS = TimeUnit.MINUTES.toNanos(1);

	// immutable

	private final Trends trends;

	private final Snapshots snapshots;

	private final Fleet fleet;

	private final Duration interval;

	private final Task task;

	// shared and safe

	private final Map<String, Counts> counts = new ConcurrentHashMap<>();

	private volatile boolean begun;

	/** The consumed queues with their partitions. */
	private final Map<String, Epochs> consumed = new ConcurrentHashMap<>();

	/**
	 * Creates a recorder, which begins to work with the first message or consumer.
	 * @param calls makes the calls to Redis
	 * @param fleet reports which partitions this process owns
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param signals reports which queues this process consumes
	 * @param tasks runs the calls
	 */
	public TrendRecorder(RedisCalls calls, Fleet fleet, RedisGate gate, Signals signals, TaskPool tasks) {
		this.trends = new Trends(calls);
		this.snapshots = new Snapshots(calls);
		this.fleet = fleet;
		this.interval = tasks.intervals().trends();
		// Unlisted: a trend that cannot be stored is no reason to report a failure
		this.task = tasks.unlisted("delayqueue-trends", () -> gate.run(this::work, this.interval::toNanos));
		signals.register(this);
	}

	@Override
	public void consuming(Epochs epochs) {
		this.consumed.put(epochs.queue(), epochs);
		of(epochs.queue());
		begin();
	}

	@Override
	public void notConsuming(String queue) {
		this.consumed.remove(queue);
	}

	@Override
	public void scheduled(String queue, ScheduleResult.Outcome outcome) {
		switch (outcome) {
			case CREATED, REPLACED, POSTPONED -> count(queue, Trends.SCHEDULED);
			default -> {
			}
		}
	}

	@Override
	public void delivered(String queue, Duration lateness) {
		of(queue).longest.accumulateAndGet(lateness.toMillis(), Math::max);
		count(queue, Trends.lateness(lateness.toMillis()));
	}

	@Override
	public void handled(String queue, HandlerOutcome outcome, Duration took) {
		switch (outcome) {
			case SUCCESS -> count(queue, Trends.HANDLED);
			case RETRY, FAILURE, UNREADABLE -> count(queue, Trends.FAILED);
			case DEFER, CANCELLED -> {
			}
		}
	}

	@Override
	public void deadLettered(String queue, StoredId id, String reason, @Nullable String exception, String message) {
		count(queue, Trends.DEAD_LETTERED);
	}

	private void count(String queue, String name) {
		of(queue).figures.computeIfAbsent(name, (same) -> new AtomicLong()).incrementAndGet();
		begin();
	}

	private Counts of(String queue) {
		return this.counts.computeIfAbsent(queue, (name) -> new Counts());
	}

	private void begin() {
		if (!this.begun) {
			this.begun = true;
			this.task.wake();
		}
	}

	private Pause work() {
		RuntimeException failure = null;
		for (Map.Entry<String, Counts> queue : this.counts.entrySet()) {
			try {
				record(queue.getKey(), queue.getValue());
			}
			catch (RuntimeException failed) {
				// Another node of a cluster may be available
				failure = failed;
			}
		}
		if (failure != null) {
			throw failure;
		}
		return Pause.of(this.interval.toNanos());
	}

	private void record(String queue, Counts of) {
		if (of.unsent.isEmpty()) {
			of.take();
			Epochs epochs = this.consumed.get(queue);
			long now = System.nanoTime();
			if (epochs != null && now - of.sampleDueNanos >= 0
					&& this.fleet.isOwner(epochs.partitions(epochs.newest()).get(0))) {
				of.unsent.put(Trends.WAITING,
						epochs.partitions().stream().mapToLong((one) -> this.snapshots.of(one).scheduled()).sum());
				of.sampleDueNanos = now + SAMPLE_NANOS;
			}
			of.run++;
		}
		if (!of.unsent.isEmpty()) {
			this.trends.add(queue, of.run, of.unsent);
			of.unsent.clear();
		}
	}

	/** What this process has counted of a queue. */
	private static final class Counts {

		// shared and safe

		private final Map<String, AtomicLong> figures = new ConcurrentHashMap<>();

		private final AtomicLong longest = new AtomicLong(-1);

		// accessed only by the task

		/** What has been taken and perhaps not been stored. */
		private final Map<String, Long> unsent = new HashMap<>();

		private long run;

		private long sampleDueNanos = System.nanoTime();

		void take() {
			this.figures.forEach((name, figure) -> {
				long taken = figure.getAndSet(0);
				if (taken > 0) {
					this.unsent.put(name, taken);
				}
			});
			long taken = this.longest.getAndSet(-1);
			if (taken >= 0) {
				this.unsent.put(Trends.LONGEST_LATENESS, taken);
			}
		}

	}

}
