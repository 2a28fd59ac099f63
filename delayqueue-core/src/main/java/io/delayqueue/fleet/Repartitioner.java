package io.delayqueue.fleet;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.admin.RepartitionPendingException;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.ServerLimit;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.DeadLetterCarrier;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.Hint;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.History;
import io.delayqueue.store.Members;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Changes the partition count of queues in use. Each change begins an epoch of the queue:
 * the partitions of one partition count.
 * <ol>
 * <li>The process that begins a change prepares the partitions of all epochs, and
 * announces the new epoch in Redis.</li>
 * <li>The process stores the switches (pause, drain) and the holds of the queue in the
 * new partitions. Consumers begin to read the new partitions.</li>
 * <li>When all members have read the new epochs, at the latest after a second, the
 * process closes the older partitions. Messages that wait in the older partitions are
 * still delivered from them.</li>
 * <li>The process makes the new epoch the current epoch. No older partition is open now,
 * so a producer that schedules a message with a generated id skips the older
 * partitions.</li>
 * <li>When the partitions of an older epoch are empty, the epoch ends, and no process
 * uses its partitions any more.</li>
 * </ol>
 * Any process may repeat each of these steps. If the process that begins a change stops
 * before the end of the first four steps, the owner of the first partition of the oldest
 * epoch continues the change. While each queue has only one epoch, no task of this class
 * runs.
 */
public final class Repartitioner implements Signals.QueueListener {

	private static final Log logger = LogFactory.getLog(Repartitioner.class);

	/** The most queues whose partition counts change at the same time. */
	private static final int MOST_AT_ONCE = 4;

	private static final long CONFIRMATION_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long CONFIRMATION_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long NOTHING_TO_DO_NANOS = TimeUnit.HOURS.toNanos(1);

	private final QueueDirectory directory;

	private final NewEpochs newEpochs;

	private final OlderEpochs olderEpochs;

	private final HintChannel hints;

	private final Fleet fleet;

	private final RedisGate gate;

	private final TaskPool tasks;

	private final long checkNanos;

	private final ServerLimit limit = new ServerLimit(MOST_AT_ONCE);

	private final Map<String, Change> changes = new ConcurrentHashMap<>();

	/**
	 * Creates a repartitioner that has no partition count to change yet.
	 * @param queues the settings of the queues
	 * @param calls makes the calls to Redis
	 * @param directory the queues in Redis
	 * @param members the list of members in Redis
	 * @param hints the channel to other processes
	 * @param fleet the members
	 * @param signals the signals between actors of this process
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param tasks runs the changes
	 */
	public Repartitioner(Queues queues, RedisCalls calls, QueueDirectory directory, Members members, HintChannel hints,
			Fleet fleet, Signals signals, RedisGate gate, TaskPool tasks) {
		this.directory = directory;
		EpochCalls epochCalls = new EpochCalls(calls);
		this.newEpochs = new NewEpochs(calls, epochCalls, members);
		this.olderEpochs = new OlderEpochs(queues, directory, epochCalls,
				new DeadLetterCarrier(queues, epochCalls, directory), new History(calls));
		this.hints = hints;
		this.fleet = fleet;
		this.gate = gate;
		this.tasks = tasks;
		this.checkNanos = tasks.intervals().epochs().toNanos();
		signals.register(this);
		directory.onHigherCount(this::raise);
	}

	/** Begins a change to the higher partition count that a property requires. */
	private void raise(QueueSettings settings) {
		Change change = change(settings.name());
		change.raiseTo = settings.partitions();
		change.task.wake();
	}

	/**
	 * Begins to change the partition count of a queue. The change continues in the
	 * background.
	 * @param queue the queue
	 * @param partitions the new partition count
	 * @return the epochs of the queue, empty if the queue is not registered
	 * @throws RepartitionPendingException if the queue has as many older epochs as are
	 * allowed, or the last change of its partition count has not been completed
	 * @throws StoreException if Redis does not answer
	 */
	public Optional<Epochs> repartition(String queue, int partitions) {
		Optional<Epochs> epochs = this.directory.readOrRegister(queue);
		if (epochs.isPresent()) {
			Change change = change(queue);
			try {
				change.begin(partitions, false);
			}
			finally {
				change.task.wake();
			}
			return this.directory.read(queue);
		}
		return epochs;
	}

	@Override
	public void consuming(Epochs epochs) {
		if (epochs.epochs().size() > 1) {
			change(epochs.queue()).task.dueIn(this.tasks.intervals().takeOver().toNanos());
		}
	}

	@Override
	public void notConsuming(String queue) {
		// This process continues a change that it has begun
	}

	private Change change(String queue) {
		return this.changes.computeIfAbsent(queue, Change::new);
	}

	/** The changes of the partition count of one queue. */
	private final class Change {

		private final String queue;

		private final Task task;

		/** The higher partition count that a property requires, 0 for none. */
		private volatile int raiseTo;

		/** The number of the newest epoch that this process has begun, 0 for none. */
		private volatile int begun;

		// accessed only by the task

		private @Nullable Epoch confirming;

		private long confirmingSince;

		private boolean waits;

		Change(String queue) {
			this.queue = queue;
			this.task = Repartitioner.this.tasks.task("delayqueue-repartition-" + queue, Repartitioner.this.limit,
					() -> "",
					() -> Repartitioner.this.gate.run(() -> Pause.of(work()), () -> Repartitioner.this.checkNanos));
		}

		private long work() {
			if (this.raiseTo > 0) {
				raise();
			}
			Epochs epochs = Repartitioner.this.directory.read(this.queue).orElse(null);
			if (epochs == null || epochs.epochs().size() == 1) {
				return (this.raiseTo > 0) ? Repartitioner.this.checkNanos : NOTHING_TO_DO_NANOS;
			}
			Epoch newest = epochs.newest();
			boolean isBeginner = this.begun == newest.number();
			List<String> order = Repartitioner.this.fleet.order(epochs.partitions().get(0));
			if (!isBeginner && !order.isEmpty() && !order.get(0).equals(Repartitioner.this.fleet.member())) {
				return Repartitioner.this.checkNanos;
			}
			if (newest.announced()) {
				return announce(epochs, newest);
			}
			this.begun = 0;
			return switch (Repartitioner.this.olderEpochs.end(epochs)) {
				// A pause, in which the thread begins with the change of another queue
				case MORE_DEAD_LETTERS -> CONFIRMATION_STEP_NANOS;
				case ONE_HAS_ENDED -> {
					Repartitioner.this.hints.publish(Hint.MEMBERS, null);
					yield 0;
				}
				case NEWER_EPOCH_BEGUN -> CONFIRMATION_NANOS;
				case ALL_LAST -> Repartitioner.this.checkNanos;
			};
		}

		private void raise() {
			try {
				begin(this.raiseTo, true);
				this.raiseTo = 0;
				this.waits = false;
			}
			catch (RepartitionPendingException busy) {
				if (!this.waits) {
					this.waits = true;
					logger.warn(busy.getMessage() + "; delayqueue.queues." + this.queue + ".partitions (" + this.raiseTo
							+ "): this process tries again");
				}
			}
		}

		/** Announces a new epoch, unless the queue already has this partition count. */
		private void begin(int partitions, boolean raises) {
			while (true) {
				Epochs epochs = Repartitioner.this.directory.repair(this.queue);
				int raised = raises ? Math.max(partitions, epochs.raised()) : epochs.raised();
				int count = epochs.current().partitions();
				if (raises && partitions <= epochs.raised()) {
					return;
				}
				if (epochs.newest().announced() && epochs.newest().partitions() == partitions) {
					return;
				}
				if (partitions == count || (raises && partitions < count)) {
					if (raised == epochs.raised() || Repartitioner.this.directory.change(epochs,
							new Epochs(this.queue, raised, epochs.epochs()))) {
						return;
					}
				}
				else {
					Repartitioner.this.newEpochs.prepare(epochs);
					Epochs announced = epochs.announce(partitions, raised);
					this.begun = announced.newest().number();
					if (Repartitioner.this.directory.change(epochs, announced)) {
						logger.info("Queue '" + this.queue + "' will get " + partitions + " partitions instead of "
								+ count);
						return;
					}
				}
			}
		}

		private long announce(Epochs epochs, Epoch newest) {
			if (!newest.equals(this.confirming)) {
				Repartitioner.this.newEpochs.layOut(epochs);
				Repartitioner.this.hints.publish(Hint.MEMBERS, null);
				this.confirming = newest;
				this.confirmingSince = System.nanoTime();
			}
			if (System.nanoTime() - this.confirmingSince < CONFIRMATION_NANOS
					&& !Repartitioner.this.newEpochs.isConfirmed(epochs)) {
				return CONFIRMATION_STEP_NANOS;
			}
			Repartitioner.this.olderEpochs.close(epochs.activate());
			if (!Repartitioner.this.directory.change(epochs, epochs.activate())) {
				// Another process has changed the epochs of the queue, so begin again
				return 0;
			}
			Repartitioner.this.hints.publish(Hint.MEMBERS, null);
			logger.info("Queue '" + this.queue + "' has " + newest.partitions()
					+ " partitions now; messages in its older partitions are delivered from there");
			this.begun = 0;
			return Repartitioner.this.checkNanos;
		}

	}

}
