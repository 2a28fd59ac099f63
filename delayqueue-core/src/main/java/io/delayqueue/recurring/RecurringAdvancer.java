package io.delayqueue.recurring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.delayqueue.fleet.EachServer;
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
import io.delayqueue.record.RecurringRecord;
import io.delayqueue.recurring.DefinitionCarrier.Leaving;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Due;
import io.delayqueue.store.DueDefinition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RecurringSteps;
import io.delayqueue.store.RecurringSteps.Advanced;
import io.delayqueue.store.RecurringSteps.After;
import io.delayqueue.store.RecurringSteps.State;
import io.delayqueue.store.RecurringSteps.Step;
import io.delayqueue.store.RedisCalls;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Advances the recurring schedules of the partitions that this process owns (maintains):
 * when the instant of a definition has come, the advancer stores the next occurrence. The
 * advancer reads only queues that are marked in Redis as having recurring schedules. If
 * two processes own a partition for a while, each instant still gets one occurrence; if
 * no process owns the partition, occurrences are late. The standby of a partition checks
 * it too, a second after each instant, in case the owner was killed.
 *
 * <p>
 * The advancer reads each owned partition when its next definition is due, and at least
 * every 10 s. These reads find new definitions of other processes, and definitions whose
 * next instant was lost in Redis. A process that stores a recurring schedule whose next
 * instant is less than 10 s away also advances it for a while, if any process consumes
 * the queue: otherwise its instants are missed.
 */
public final class RecurringAdvancer implements Signals.QueueListener {

	private static final Log logger = LogFactory.getLog(RecurringAdvancer.class);

	/** The most calls to one server at the same time. */
	private static final int MOST_CALLS_AT_ONCE = 4;

	private static final int MOST_DEFINITIONS = 200;

	private static final int MOST_ROUNDS = 100;

	private final Queues queues;

	private final RedisCalls calls;

	private final QueueDirectory directory;

	private final RecurringSteps steps;

	private final ReportedSteps reported;

	private final OlderDefinitions older;

	private final DefinitionCarrier carrier;

	private final Signals signals;

	private final Fleet fleet;

	private final RedisGate gate;

	private final TaskPool tasks;

	private final long checkNanos;

	private final long ownerNanos;

	private final ServerLimit limit = new ServerLimit(MOST_CALLS_AT_ONCE);

	private final EachServer eachServer;

	final Map<Partition, PartitionAdvance> partitions = new ConcurrentHashMap<>();

	/**
	 * Creates an advancer that starts when a queue with recurring schedules is consumed.
	 * @param queues the settings of the queues
	 * @param calls the access to Redis
	 * @param directory the directory of queues and their partition counts
	 * @param signals reports which queues this process consumes
	 * @param fleet decides which partitions this process owns
	 * @param wakeups notifies the process that sweeps a partition
	 * @param gate stops calls while Redis is unreachable
	 * @param tasks runs the steps of the advancer
	 * @param observer is notified of missed and skipped instants
	 */
	public RecurringAdvancer(Queues queues, RedisCalls calls, QueueDirectory directory, Signals signals, Fleet fleet,
			Wakeups wakeups, RedisGate gate, TaskPool tasks, QueueObserver observer) {
		this.queues = queues;
		this.calls = calls;
		this.directory = directory;
		this.steps = new RecurringSteps(calls);
		RecurringCalls definitions = new RecurringCalls(calls);
		this.reported = new ReportedSteps(this.steps, definitions, wakeups, observer);
		this.older = new OlderDefinitions(this.reported, definitions, directory, wakeups);
		this.carrier = new DefinitionCarrier(definitions);
		this.signals = signals;
		this.fleet = fleet;
		this.gate = gate;
		this.tasks = tasks;
		this.checkNanos = tasks.intervals().recurring().toNanos();
		this.ownerNanos = tasks.intervals().recurringOwner().toNanos();
		this.eachServer = new EachServer(calls);
		signals.register(this);
		directory.recurring().onMark(this::marked);
		gate.onOpen(() -> this.partitions.values().forEach((partition) -> partition.task.wake()));
	}

	@Override
	public void consuming(Epochs epochs) {
		if (this.directory.recurring().contains(epochs.queue())) {
			epochs.partitions().forEach((partition) -> task(partition).wake());
		}
	}

	@Override
	public void notConsuming(String queue) {
		// The advancing of a partition ends by itself when this process does not consume
		// the partition any more
	}

	private void marked(String queue) {
		if (this.signals.consumed().containsKey(queue)) {
			consuming(this.directory.cached(this.queues.settings(queue)));
		}
	}

	/**
	 * Makes this process, too, advance the schedules of a partition for a while, if a new
	 * definition is due before the owner of the partition reads it.
	 * @param partition the partition
	 * @param inNanos the time until the definition is due, ns
	 */
	public void due(Partition partition, long inNanos) {
		if (inNanos < this.checkNanos) {
			PartitionAdvance advance = this.partitions.computeIfAbsent(partition, PartitionAdvance::new);
			advance.helpsUntilNanos = System.nanoTime() + 2 * this.checkNanos;
			advance.task.dueIn(Math.max(0, inNanos));
		}
	}

	/** Returns the object that removes older definitions of a key. */
	OlderDefinitions older() {
		return this.older;
	}

	/** Advances a due definition before the caller replaces the definition. */
	void advance(Partition partition, Epochs epochs, String key) {
		this.reported.advance(partition, epochs, key);
	}

	private boolean isWatched(Partition partition) {
		return this.signals.consumes(partition) && this.directory.recurring().contains(partition.queue());
	}

	private Task task(Partition partition) {
		return this.partitions.computeIfAbsent(partition, PartitionAdvance::new).task;
	}

	/**
	 * Definitions of a partition that wait for calls to other partitions.
	 *
	 * @param epochs the epochs of the queue
	 * @param unchecked definitions that may only advance after the older definitions of
	 * their keys in other partitions were removed, because the process that stored the
	 * definition ended before
	 * @param leaving definitions that move to newer epochs
	 */
	private record Waiting(Epochs epochs, List<DueDefinition> unchecked, List<Leaving> leaving) {
	}

	/** Repeatedly advances the recurring schedules of one partition. */
	final class PartitionAdvance {

		private final Partition partition;

		private final Task task;

		/** Calls other partitions: their servers may hang, and the task must not wait. */
		private final Task others;

		/** The definitions that wait for calls to other partitions. */
		private final AtomicReference<@Nullable Waiting> waiting = new AtomicReference<>();

		/**
		 * The generations of definitions for which the other partitions were checked, and
		 * that were still marked as unchecked when this partition was read last.
		 */
		private final Set<String> checked = ConcurrentHashMap.newKeySet();

		/**
		 * Until when this process advances the partition although it is not the owner.
		 */
		private volatile long helpsUntilNanos = System.nanoTime();

		// used only by the thread that advances the partition

		/** The time of the next check whether the queue has definitions. */
		private long markCheckNanos = System.nanoTime()
				+ RecurringAdvancer.this.tasks.intervals().recurringMark().toNanos();

		/** The keys of unreadable definitions that were logged. */
		private final Set<String> unreadable = new HashSet<>();

		PartitionAdvance(Partition partition) {
			this.partition = partition;
			this.task = RecurringAdvancer.this.tasks.task("delayqueue-recurring-" + partition,
					RecurringAdvancer.this.limit, () -> RecurringAdvancer.this.calls.server(partition),
					() -> RecurringAdvancer.this.gate.run(() -> Pause.of(work()),
							() -> RecurringAdvancer.this.ownerNanos));
			this.others = RecurringAdvancer.this.tasks.task("delayqueue-recurring-others-" + partition,
					() -> RecurringAdvancer.this.gate.run(() -> Pause.of(callOthers()),
							() -> RecurringAdvancer.this.ownerNanos));
		}

		private long work() {
			boolean consumes = isWatched(this.partition);
			boolean helps = this.helpsUntilNanos - System.nanoTime() > 0;
			Fleet fleet = RecurringAdvancer.this.fleet;
			if (!helps && !consumes) {
				end();
				return RecurringAdvancer.this.ownerNanos;
			}
			if (helps ? consumes || !fleet.roster().order(this.partition).isEmpty() : fleet.isOwner(this.partition)) {
				return advance();
			}
			return RecurringAdvancer.this.ownerNanos + (fleet.isStandby(this.partition) ? advance() : 0);
		}

		void end() {
			RecurringAdvancer.this.partitions.remove(this.partition, this);
			this.task.stop();
			this.others.stop();
			if (isWatched(this.partition)) {
				// This process consumes the partition again. Its call of dueIn may have
				// reached the task that was just stopped, so a new one is started here
				RecurringAdvancer.this.task(this.partition).wake();
			}
		}

		private long advance() {
			Epochs epochs = RecurringAdvancer.this.directory
				.cached(RecurringAdvancer.this.queues.settings(this.partition.queue()));
			After after = After.BEGIN;
			Set<String> seen = new HashSet<>();
			List<Step> steps = List.of();
			Advanced answer = null;
			boolean isWaiting = false;
			boolean isAnyUnchecked = false;
			for (int round = 0; round < MOST_ROUNDS; round++) {
				answer = RecurringAdvancer.this.reported.advance(this.partition, epochs, steps, MOST_DEFINITIONS,
						after);
				if (answer.isDamaged() && round == 0) {
					RecurringAdvancer.this.reported.mend(this.partition);
					continue;
				}
				isWaiting |= answer.isWaiting();
				seen.addAll(answer.unreadable().keySet());
				answer.unreadable().forEach(this::unreadable);
				if (answer.last().equals(After.BEGIN)) {
					this.unreadable.retainAll(seen);
					if (!isAnyUnchecked) {
						this.checked.clear();
					}
					if (answer.nextMillis() == 0) {
						removeMark(epochs);
					}
					return isWaiting ? Math.min(RecurringAdvancer.this.ownerNanos, nanosUntil(answer))
							: nanosUntil(answer);
				}
				List<DueDefinition> due = new ArrayList<>();
				List<DueDefinition> unchecked = new ArrayList<>();
				for (DueDefinition one : answer.due()) {
					RecurringRecord.State state = one.record().state();
					isAnyUnchecked |= state.isUnchecked();
					(state.isUnchecked() && !this.checked.contains(state.generation()) ? unchecked : due).add(one);
				}
				List<Leaving> leaving = List.of();
				if (answer.state() == State.CLOSED) {
					DefinitionCarrier.Result result = RecurringAdvancer.this.carrier.mark(this.partition, due,
							answer.nowMicros());
					leaving = result.leaving();
					steps = result.steps();
					after = result.isComplete() ? answer.last() : after;
				}
				else {
					steps = Steps.of(due, answer.nowMicros());
					after = (steps.size() == due.size()) ? answer.last() : after;
				}
				if (unchecked.size() + leaving.size() > 0
						&& this.waiting.compareAndSet(null, new Waiting(epochs, unchecked, leaving))) {
					this.others.wake();
				}
			}
			return 0;
		}

		/**
		 * Makes the calls to other partitions for which definitions of this partition
		 * wait.
		 */
		private long callOthers() {
			Waiting waiting = this.waiting.get();
			if (waiting == null) {
				return RecurringAdvancer.this.checkNanos;
			}
			StoreException failed = null;
			boolean isAnyDone = !waiting.unchecked().isEmpty();
			try {
				isAnyDone |= move(waiting);
			}
			catch (StoreException failure) {
				failed = failure;
			}
			try {
				for (DueDefinition due : waiting.unchecked()) {
					RecurringRecord.State state = due.record().state();
					if (RecurringAdvancer.this.older.remove(this.partition, waiting.epochs(), due.key(),
							state.storedMicros(), state.generation())) {
						this.checked.add(state.generation());
					}
				}
			}
			catch (StoreException failure) {
				failed = failure;
			}
			this.waiting.set(null);
			this.task.dueIn((failed == null && isAnyDone) ? 0 : RecurringAdvancer.this.ownerNanos);
			if (failed != null) {
				throw failed;
			}
			return RecurringAdvancer.this.checkNanos;
		}

		/**
		 * Moves definitions to newer epochs, at the same time to different servers.
		 * @return whether any has moved; none does while the newer epoch is not active
		 */
		private boolean move(Waiting waiting) {
			Epochs epochs = waiting.epochs();
			Map<Partition, List<Leaving>> homes = waiting.leaving()
				.stream()
				.collect(Collectors.groupingBy((one) -> DefinitionCarrier.home(one.due().key(),
						one.due().record().group(), epochs.queue(), epochs.current())));
			AtomicBoolean isAnyMoved = new AtomicBoolean();
			RecurringAdvancer.this.eachServer.run(homes.keySet(), (home) -> {
				for (Leaving leaving : homes.getOrDefault(home, List.of())) {
					Partition to = RecurringAdvancer.this.carrier.move(this.partition, epochs, leaving);
					if (to != null) {
						isAnyMoved.set(true);
						due(to, 0);
					}
				}
			});
			return isAnyMoved.get();
		}

		/**
		 * Removes the mark that a queue has recurring schedules if the queue has no
		 * definitions. Only the process that advances partition 0 does so.
		 */
		private void removeMark(Epochs epochs) {
			if (this.partition.number() == 0 && this.partition.epoch() == epochs.newest().number()
					&& System.nanoTime() - this.markCheckNanos >= 0) {
				this.markCheckNanos = System.nanoTime()
						+ RecurringAdvancer.this.tasks.intervals().recurringMark().toNanos();
				RecurringAdvancer.this.directory.recurring()
					.removeIfUnused(epochs, RecurringAdvancer.this.steps::hasDefinitions);
			}
		}

		private void unreadable(String key, String problem) {
			if (this.unreadable.add(key)) {
				logger.warn("Recurring schedule '" + key + "' of partition " + this.partition
						+ " has no further occurrences until it is replaced: " + problem);
			}
		}

		private long nanosUntil(Advanced answer) {
			return (answer.nextMillis() > 0) ? Math.min(RecurringAdvancer.this.checkNanos,
					Due.leftNanos(answer.nextMillis(), answer.nowMicros())) : RecurringAdvancer.this.checkNanos;
		}

	}

}
