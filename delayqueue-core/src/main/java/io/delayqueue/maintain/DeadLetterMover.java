package io.delayqueue.maintain;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import io.delayqueue.MessageState;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.ServerLimit;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.Pages;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import io.delayqueue.store.Pages.Position;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.StoredId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Moves dead letters to the dead-letter queue that is configured for their queue, for all
 * queues that this process consumes. The owner of a partition (the process that maintains
 * the partition) checks the partition every five seconds. A dead letter that the
 * dead-letter queue refuses stays in its partition, and delays no other one: the mover
 * tries this dead letter again after five seconds, and then doubles its wait after each
 * try, up to ten minutes, unless it has just moved another one of the same group. The
 * mover does nothing for queues without a dead-letter queue.
 */
public final class DeadLetterMover implements Signals.QueueListener {

	private static final Log logger = LogFactory.getLog(DeadLetterMover.class);

	private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

	/**
	 * The refused dead letters of a partition that each have a wait of their own. Further
	 * ones are tried whenever one of these is.
	 */
	private static final int MOST_REFUSED = 10_000;

	private static final int PAGE = 100;

	private static final int PAGES_OF_A_TURN = 10;

	private final Queues queues;

	private final RedisCalls calls;

	private final Pages pages;

	private final DeadLetterCopies copies;

	private final Fleet fleet;

	private final RedisGate gate;

	private final TaskPool tasks;

	private final Duration interval;

	private final ServerLimit limit = new ServerLimit(1);

	private final Map<Partition, Moves> partitions = new ConcurrentHashMap<>();

	/**
	 * Creates a mover that works while this process consumes a queue.
	 * @param queues the settings of the queues
	 * @param calls makes the calls to Redis
	 * @param retryingCalls repeats failed calls to Redis
	 * @param directory the queues in Redis
	 * @param fleet reports which partitions this process owns
	 * @param wakeups notifies the process that sweeps a partition
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param signals reports which queues this process consumes
	 * @param tasks runs the moves
	 * @param observer is notified of copied dead letters
	 */
	public DeadLetterMover(Queues queues, RedisCalls calls, RetryingCalls retryingCalls, QueueDirectory directory,
			Fleet fleet, Wakeups wakeups, RedisGate gate, Signals signals, TaskPool tasks, QueueObserver observer) {
		this.queues = queues;
		this.calls = calls;
		this.pages = new Pages(calls);
		this.copies = new DeadLetterCopies(queues, calls, retryingCalls, directory, wakeups, observer);
		this.fleet = fleet;
		this.gate = gate;
		this.tasks = tasks;
		this.interval = tasks.intervals().deadLetters();
		signals.register(this);
	}

	@Override
	public synchronized void consuming(Epochs epochs) {
		stopIf((partition) -> partition.queue().equals(epochs.queue()) && !epochs.contains(partition));
		if (this.queues.settings(epochs.queue()).ends().deadLetterQueue() != null) {
			epochs.partitions()
				.forEach((partition) -> this.partitions.computeIfAbsent(partition, Moves::new).task.wake());
		}
	}

	@Override
	public synchronized void notConsuming(String queue) {
		stopIf((partition) -> partition.queue().equals(queue));
	}

	private void stopIf(Predicate<Partition> condition) {
		this.partitions.entrySet().removeIf((one) -> {
			boolean stops = condition.test(one.getKey());
			if (stops) {
				one.getValue().task.stop();
			}
			return stops;
		});
	}

	/**
	 * A dead letter whose move was refused.
	 *
	 * @param diedMillis its time of death, ms since 1970
	 * @param untilNanos when it is tried again, by {@link System#nanoTime()}
	 * @param waitNanos the wait before that, ns
	 */
	private record Refused(long diedMillis, long untilNanos, long waitNanos) {
	}

	/** Moves the dead letters of one partition. */
	private final class Moves {

		private final Partition partition;

		private final Task task;

		// the following fields are accessed only by the task

		/** Where the pass under way continues, {@code null} between two passes. */
		private @Nullable Position position;

		/** The position behind the last dead letter that a pass has found. */
		private Position end = Position.BEGIN;

		/** The dead letters whose move was refused. */
		private final Map<StoredId, Refused> refused = new HashMap<>();

		/** When a pass over all dead letters is due. */
		private long allDueNanos = System.nanoTime();

		/** When the last pass over all dead letters began. */
		private long allSinceNanos;

		/** The groups of which this pass has moved a dead letter. */
		private final Set<String> movedGroups = new HashSet<>();

		private int moved;

		private boolean warned;

		Moves(Partition partition) {
			this.partition = partition;
			this.task = DeadLetterMover.this.tasks.task("delayqueue-dead-letters-" + partition,
					DeadLetterMover.this.limit, () -> DeadLetterMover.this.calls.server(partition),
					() -> DeadLetterMover.this.gate.run(() -> Pause.of(work()),
							DeadLetterMover.this.interval::toNanos));
		}

		private long work() {
			if (!DeadLetterMover.this.fleet.isOwner(this.partition)) {
				this.position = null;
				this.refused.clear();
				this.allDueNanos = System.nanoTime();
				return DeadLetterMover.this.interval.toNanos();
			}
			Position next = (this.position != null) ? this.position : begin();
			for (int n = 0; n < PAGES_OF_A_TURN && next != null; n++) {
				Page page = DeadLetterMover.this.pages.list(this.partition, MessageState.DEAD, next, PAGE);
				for (Listed letter : page.messages()) {
					move(letter);
					this.end = Position.of(false, Long.toString(letter.atMillis()), letter.storedId().toBytes());
				}
				next = page.next();
			}
			this.position = next;
			return (next != null) ? 1 : passed();
		}

		/**
		 * Begins a pass: over all dead letters if a refused one is due, else only over
		 * those that were added behind the last one.
		 */
		private Position begin() {
			long now = System.nanoTime();
			if (this.allDueNanos - now > 0) {
				return this.end;
			}
			this.allSinceNanos = now;
			this.allDueNanos = now + LONGEST_WAIT.toNanos();
			return Position.BEGIN_BOUNDED;
		}

		private void move(Listed letter) {
			long now = System.nanoTime();
			Refused before = this.refused.get(letter.storedId());
			if (before != null && before.diedMillis() != letter.atMillis()) {
				before = null;
			}
			if (before != null && before.untilNanos() - now > 0) {
				this.allDueNanos = Math.min(this.allDueNanos - now, before.untilNanos() - now) + now;
				return;
			}
			Optional<String> refusal = DeadLetterMover.this.copies.move(this.partition, letter.storedId(),
					letter.atMillis());
			if (refusal.isEmpty()) {
				this.moved++;
				this.refused.remove(letter.storedId());
				if (letter.group() != null) {
					this.movedGroups.add(letter.group());
				}
				return;
			}
			long wait = (before != null && !this.movedGroups.contains(letter.group()))
					? Math.min(2 * before.waitNanos(), LONGEST_WAIT.toNanos())
					: DeadLetterMover.this.interval.toNanos();
			if (before != null || this.refused.size() < MOST_REFUSED) {
				this.refused.put(letter.storedId(), new Refused(letter.atMillis(), now + wait, wait));
			}
			this.allDueNanos = Math.min(this.allDueNanos - now, wait) + now;
			if (!this.warned) {
				this.warned = true;
				logger.warn("Dead letter " + letter.storedId() + " of partition " + this.partition
						+ " stays in its queue: " + refusal.get() + "; this process tries each refused move again");
			}
		}

		/** Ends a pass, and returns the wait before the next pass, ns. */
		private long passed() {
			if (this.moved > 0) {
				logger.info(this.moved + " dead letters of partition " + this.partition
						+ " were moved to the dead-letter queue");
			}
			// Those that were due and not found are no dead letters any more
			this.refused.values().removeIf((letter) -> letter.untilNanos() - this.allSinceNanos <= 0);
			this.warned &= !this.refused.isEmpty();
			this.moved = 0;
			this.movedGroups.clear();
			return DeadLetterMover.this.interval.toNanos();
		}

	}

}
