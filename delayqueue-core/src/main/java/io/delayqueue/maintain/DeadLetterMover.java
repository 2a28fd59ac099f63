package io.delayqueue.maintain;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import io.delayqueue.MessageState;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.SweepNotifier;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Moves dead letters to the dead-letter queue that is configured for their queue, for all
 * queues that this process consumes. The owner of a partition (the process that maintains
 * the partition) checks the partition every five seconds. A dead letter that the
 * dead-letter queue refuses stays in its partition, and the mover tries to move it again
 * later. While the dead-letter queue refuses all dead letters of a partition, the mover
 * doubles its wait after each try, up to ten minutes. The mover does nothing for queues
 * without a dead-letter queue.
 */
public final class DeadLetterMover implements Signals.QueueListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(DeadLetterMover.class);

	private static final Duration INTERVAL = Duration.ofSeconds(5);

	private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

	private static final int PAGE = 100;

	private static final int PAGES_OF_A_TURN = 10;

	private final Queues queues;

	private final Pages pages;

	private final DeadLetterCopies copies;

	private final Fleet fleet;

	private final RedisGate gate;

	private final TurnThreads threads;

	private final Map<Partition, Moves> partitions = new ConcurrentHashMap<>();

	/**
	 * Creates a mover that works while this process consumes a queue.
	 * @param queues the settings of the queues
	 * @param calls makes the calls to Redis
	 * @param retryingCalls repeats failed calls to Redis
	 * @param directory the queues in Redis
	 * @param fleet reports which partitions this process owns
	 * @param notifier notifies the process that sweeps a partition
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param signals reports which queues this process consumes
	 * @param loops the registry of background activities
	 * @param observer is notified of copied dead letters
	 */
	public DeadLetterMover(Queues queues, RedisCalls calls, RetryingCalls retryingCalls, QueueDirectory directory,
			Fleet fleet, SweepNotifier notifier, RedisGate gate, Signals signals, LoopRegistry loops,
			QueueObserver observer) {
		this.queues = queues;
		this.pages = new Pages(calls);
		this.copies = new DeadLetterCopies(queues, calls, retryingCalls, directory, notifier, observer);
		this.fleet = fleet;
		this.gate = gate;
		this.threads = new TurnThreads("delayqueue-dead-letters", 1, loops);
		signals.register(this);
	}

	@Override
	public synchronized void consuming(Epochs epochs) {
		stopIf((partition) -> partition.queue().equals(epochs.queue()) && !epochs.contains(partition));
		if (this.queues.settings(epochs.queue()).ends().deadLetterQueue() != null) {
			epochs.partitions()
				.forEach((partition) -> this.partitions.computeIfAbsent(partition, Moves::new).turn.dueIn(0));
		}
	}

	@Override
	public synchronized void notConsuming(String queue) {
		stopIf((partition) -> partition.queue().equals(queue));
	}

	@Override
	public synchronized void close() {
		stopIf((partition) -> true);
		this.threads.close();
	}

	private void stopIf(Predicate<Partition> condition) {
		this.partitions.entrySet().removeIf((one) -> {
			boolean stops = condition.test(one.getKey());
			if (stops) {
				one.getValue().turn.stop();
			}
			return stops;
		});
	}

	/** Moves the dead letters of one partition. */
	private final class Moves {

		private final Partition partition;

		private final RecurringTurn turn;

		// the following fields are accessed only by the method turn

		private @Nullable Position position;

		private Duration wait = INTERVAL;

		private int moved;

		private boolean refused;

		private boolean warned;

		Moves(Partition partition) {
			this.partition = partition;
			this.turn = DeadLetterMover.this.threads.turn("The dead letters of partition " + partition, this::turn);
		}

		private long turn() {
			return DeadLetterMover.this.gate.turn(this::work, INTERVAL::toNanos);
		}

		private long work() {
			if (!DeadLetterMover.this.fleet.isOwner(this.partition)) {
				this.position = null;
				return INTERVAL.toNanos();
			}
			Position next = (this.position != null) ? this.position : Position.BEGIN_BOUNDED;
			for (int n = 0; n < PAGES_OF_A_TURN && next != null; n++) {
				Page page = DeadLetterMover.this.pages.list(this.partition, MessageState.DEAD, next, PAGE);
				page.messages().forEach(this::move);
				next = page.next();
			}
			this.position = next;
			return (next != null) ? 1 : passed();
		}

		private void move(Listed letter) {
			Optional<String> refusal = DeadLetterMover.this.copies.move(this.partition, letter.id(), letter.atMillis());
			if (refusal.isEmpty()) {
				this.moved++;
				return;
			}
			this.refused = true;
			if (!this.warned) {
				this.warned = true;
				logger.warn("Dead letter '" + letter.id() + "' of partition " + this.partition + " stays in its queue: "
						+ refusal.get() + "; this process tries all refused moves of the partition again");
			}
		}

		/**
		 * Ends a pass over all dead letters of the partition, and returns the wait before
		 * the next pass, ns.
		 */
		private long passed() {
			if (this.moved > 0) {
				logger.info(this.moved + " dead letters of partition " + this.partition
						+ " were moved to the dead-letter queue");
			}
			Duration doubled = this.wait.multipliedBy(2);
			this.wait = (!this.refused || this.moved > 0) ? INTERVAL
					: (doubled.compareTo(LONGEST_WAIT) < 0) ? doubled : LONGEST_WAIT;
			this.warned &= this.refused;
			this.moved = 0;
			this.refused = false;
			return this.wait.toNanos();
		}

	}

}
