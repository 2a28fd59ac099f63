package io.delayqueue.fleet;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Holds;
import io.delayqueue.store.Holds.Answer;
import io.delayqueue.store.Holds.Held;
import io.delayqueue.store.PartitionControl;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Stores and ends holds of queues and groups; a hold stops the delivery of a queue or a
 * group until a time. Changes each partition, of all epochs, that may have messages of
 * the queue or the group, and notifies all processes of new and ended holds. Safe for use
 * by several threads.
 *
 * <p>
 * {@link #hold} and {@link #end} consist of steps: each step reads the epochs of the
 * queue, or changes one partition. The caller passes a function that runs each step; the
 * function may repeat or skip a step that fails. The steps of the servers of a cluster
 * run at the same time, so that a server that hangs does not delay the others.
 */
public final class QueueHolds {

	private static final Log logger = LogFactory.getLog(QueueHolds.class);

	/** The shortest extension of a hold that is logged and reported to observers. */
	private static final Duration REPORTED = Duration.ofSeconds(1);

	private final String member;

	private final QueueDirectory directory;

	private final Holds holds;

	private final PartitionControl partitionControl;

	private final EpochLayouts epochLayouts;

	private final EachServer eachServer;

	private final Wakeups wakeups;

	private final QueueObserver observer;

	/**
	 * Creates an object that stores and ends holds.
	 * @param calls makes the calls to Redis
	 * @param member the name of this process
	 * @param directory the queues in Redis
	 * @param wakeups notifies all processes
	 * @param observer is notified of new and ended holds
	 */
	public QueueHolds(RedisCalls calls, String member, QueueDirectory directory, Wakeups wakeups,
			QueueObserver observer) {
		this.member = member;
		this.directory = directory;
		this.holds = new Holds(calls);
		this.partitionControl = new PartitionControl(calls);
		this.epochLayouts = new EpochLayouts(calls);
		this.eachServer = new EachServer(calls);
		this.wakeups = wakeups;
		this.observer = observer;
	}

	/**
	 * Returns the name of this process.
	 * @return the name in the list of members
	 */
	public String member() {
		return this.member;
	}

	/**
	 * Stores a hold of a queue or a group, unless the queue or the group has a hold that
	 * ends later.
	 * @param hold the hold
	 * @param attempt runs each step
	 * @return the hold that the partitions have after this call, with the latest end if
	 * their holds differ; empty if the end of the requested hold has passed, or if no
	 * step has succeeded
	 */
	public Optional<QueueHold> hold(QueueHold hold, Consumer<Runnable> attempt) {
		Queue<Held> answers = new ConcurrentLinkedQueue<>();
		Set<Partition> done = ConcurrentHashMap.newKeySet();
		each(read(hold.queue(), attempt), hold.queue(), hold.group(), done, attempt, hold(hold, answers));
		report(hold, answers);
		return answers.stream()
			.filter((held) -> held.answer() != Answer.PAST)
			.map(Held::current)
			.filter(Objects::nonNull)
			.max((one, other) -> one.until().compareTo(other.until()));
	}

	/**
	 * Stores a hold in one partition, and returns the work that stores it in the other
	 * partitions.
	 * @param first the partition
	 * @param settings the settings of the queue
	 * @param hold the hold
	 * @param attempt runs each step
	 * @return the work, which also reports the hold
	 */
	public Runnable holdFirst(Partition first, QueueSettings settings, QueueHold hold, Consumer<Runnable> attempt) {
		Queue<Held> answers = new ConcurrentLinkedQueue<>();
		Set<Partition> done = ConcurrentHashMap.newKeySet();
		BiConsumer<Partition, Runnable> step = hold(hold, answers);
		attempt.accept(() -> {
			step.accept(first, () -> {
			});
			done.add(first);
		});
		return () -> {
			each(this.directory.cached(settings), hold.queue(), hold.group(), done, attempt, step);
			report(hold, answers);
		};
	}

	private BiConsumer<Partition, Runnable> hold(QueueHold hold, Collection<Held> answers) {
		return (partition, layOut) -> {
			layOut.run();
			Held held = this.holds.hold(partition, hold);
			answers.add(held);
			// An extension of a hold notifies no process: otherwise many handlers that
			// hold the queue at the same time would cause many hints
			if (held.answer() == Answer.HELD
					&& (held.beforeMillis() == 0 || held.beforeMillis() == hold.until().toEpochMilli())) {
				this.wakeups.switched(partition);
			}
		};
	}

	private void report(QueueHold hold, Collection<Held> answers) {
		if (answers.stream().anyMatch((held) -> isNews(held, hold))) {
			logger.info(describe(hold.queue(), hold.group()) + " is held until " + hold.until() + " by "
					+ ((hold.by() == By.HANDLER) ? "a handler" : "an operator") + " in process " + hold.process()
					+ (hold.why().isEmpty() ? "" : ": " + hold.why()));
			this.observer.held(hold);
		}
	}

	private static boolean isNews(Held held, QueueHold hold) {
		return held.answer() == Answer.HELD && (held.beforeMillis() == 0
				|| hold.until().minus(REPORTED).compareTo(Instant.ofEpochMilli(held.beforeMillis())) >= 0);
	}

	/**
	 * Ends the hold of a group, or the holds of a queue and of all its groups.
	 * @param queue the queue
	 * @param group the group key, {@code null} for the queue and all its groups
	 * @param attempt runs each step
	 */
	public void end(String queue, @Nullable String group, Consumer<Runnable> attempt) {
		each(read(queue, attempt), queue, group, ConcurrentHashMap.newKeySet(), attempt, (partition, layOut) -> {
			layOut.run();
			if (group != null) {
				this.holds.end(partition, group);
			}
			else {
				this.holds.endAll(partition);
			}
			this.wakeups.switched(partition);
		});
		logger.info(describe(queue, group) + " is not held any more: its release was requested");
		this.observer.holdEnded(queue, group);
	}

	/**
	 * Runs a step for each partition that may have messages of a queue or of a group. If
	 * a new epoch (a new partition count) has begun meanwhile, also runs the step for the
	 * new partitions, because another process may have copied the previous holds to them.
	 */
	private void each(@Nullable Epochs first, String queue, @Nullable String group, Set<Partition> done,
			Consumer<Runnable> attempt, BiConsumer<Partition, Runnable> step) {
		Epochs epochs = first;
		Epochs before = null;
		while (epochs != null && !epochs.equals(before)) {
			for (Epoch epoch : epochs.epochs()) {
				Epochs current = epochs;
				this.eachServer.run(partitions(epochs, epoch, group), (partition) -> attempt.accept(() -> {
					if (!done.contains(partition)) {
						step.accept(partition, () -> layOut(current, epoch, partition));
						done.add(partition);
					}
				}));
			}
			before = epochs;
			epochs = read(queue, attempt);
		}
	}

	private static List<Partition> partitions(Epochs epochs, Epoch epoch, @Nullable String group) {
		List<Partition> all = epochs.partitions(epoch);
		return (group != null) ? List.of(all.get(Partitioner.of("", group, epoch.partitions()))) : all;
	}

	private void layOut(Epochs epochs, Epoch epoch, Partition partition) {
		if (epoch.announced()) {
			this.epochLayouts.layOut(epochs, epoch, List.of(partition),
					this.partitionControl.of(epochs.partitions(epochs.current()).get(0)));
		}
	}

	private @Nullable Epochs read(String queue, Consumer<Runnable> attempt) {
		List<Epochs> read = new ArrayList<>(1);
		attempt.accept(() -> this.directory.read(queue).ifPresent(read::add));
		return read.isEmpty() ? null : read.get(0);
	}

	private static String describe(String queue, @Nullable String group) {
		return (group != null) ? "Group '" + group + "' of queue '" + queue + "'" : "Queue '" + queue + "'";
	}

}
