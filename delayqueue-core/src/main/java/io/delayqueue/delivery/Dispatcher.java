package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Predicate;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.delivery.Handlers.Batches;
import io.delayqueue.delivery.SuspectIsolation.Suspect;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import org.jspecify.annotations.Nullable;

/**
 * Passes the deliveries of a read to the workers that call the handler, and releases
 * deliveries that must not begin. Safe for use by several threads.
 *
 * <ol>
 * <li>If the group of a message has workers of its own, the dispatcher frees the permit
 * of the message, and the message waits for these workers; any other message waits for
 * the shared workers. Each message counts as in flight until it is settled.</li>
 * <li>If the listener takes batches, the message first waits in a {@link Batcher}.</li>
 * <li>A worker calls the handler.</li>
 * <li>Messages with crashes leave a permit to other messages: the dispatcher releases
 * those that would occupy the last one, with a delay. A suspect keeps its permit, and
 * begins as {@link SuspectIsolation} describes; the dispatcher releases a suspect that
 * cannot begin, with a delay.</li>
 * </ol>
 */
final class Dispatcher {

	/**
	 * After this time a released message with crashes is read again, by this process or
	 * another.
	 */
	private static final Duration PAUSE_AFTER_CRASHES = Duration.ofSeconds(1);

	private final ConsumerState state;

	private final HandlerRuns runs;

	private final HandlerInvoker invoker;

	/** The pool for the messages of groups without workers of their own. */
	private final WorkerPool shared;

	/** The pools of groups with workers of their own, by group key. */
	private final Map<String, WorkerPool> dedicated = new LinkedHashMap<>();

	private final List<WorkerPool> pools = new ArrayList<>();

	/**
	 * The timer that abandons handlers after their timeout, and releases suspects that
	 * have waited too long.
	 */
	private final Task watch;

	private final BooleanSupplier isIdle = this::isIdle;

	private final Runnable readable;

	/** Whether the last read that delivered messages also delivered a suspect. */
	private volatile boolean cautious;

	/**
	 * Creates the dispatcher.
	 * @param state the state of the consumer
	 * @param handlers the handlers of the consumer
	 * @param invoker calls the handlers
	 * @param threads creates threads for the given number of handlers that run at once
	 * @param tasks runs the timers of batches, the timer of handlers, and code of the
	 * application that must not delay these timers
	 */
	Dispatcher(ConsumerState state, Handlers handlers, HandlerInvoker invoker, IntFunction<Threads> threads,
			TaskPool tasks) {
		this.state = state;
		this.runs = invoker.runs();
		this.invoker = invoker;
		this.readable = state::readable;
		this.watch = tasks.task("delayqueue-handlers-" + state.queue(), this::watch);
		BiFunction<@Nullable String, Integer, WorkerPool> pool = (group, messages) -> {
			int most = handlers.workers(messages);
			Threads own = threads.apply(most);
			Workers workers = new Workers(most, own.executor(),
					(call, callers) -> invoker.invoke(call, callers::addBehind), state.isolation()::beginIfAlone);
			Batches batches = handlers.batches();
			return new WorkerPool((batches != null)
					? new Batcher(batches.settings(), state, group, (late) -> beginLate(workers, late), tasks) : null,
					workers, own);
		};
		int concurrency = state.settings().concurrency();
		this.shared = pool.apply(null, concurrency);
		state.settings()
			.groups()
			.dedicated(concurrency)
			.forEach((group, own) -> this.dedicated.put(group, pool.apply(group, own)));
		this.pools.add(this.shared);
		this.pools.addAll(this.dedicated.values());
		this.runs.connect(this.watch::dueIn, (code) -> tasks.execute("delayqueue-aside-" + state.queue(), code));
		state.onEnded(state.isolation()::beginIfAlone);
		state.isolation().register(this.isIdle, this.readable);
	}

	boolean takesBatches() {
		return this.shared.batcher() != null;
	}

	HandlerRuns runs() {
		return this.runs;
	}

	/**
	 * Whether the consumer may read more messages. It stops reading while too many
	 * timed-out handlers still run, because each of them occupies a thread and memory.
	 */
	boolean acceptsMore() {
		return !this.runs.areTooManyAbandoned();
	}

	/**
	 * Whether the reader must read messages one by one, so that a read delivers only one
	 * suspect.
	 */
	boolean isCautious() {
		return this.cautious;
	}

	/**
	 * Passes the messages of a read to workers. Keeps one suspect, and releases other
	 * suspects.
	 */
	void dispatch(ReadResult read) {
		try {
			read.unreadable().forEach(this.invoker::settleUnreadable);
			List<DeliveryTask> suspects = read.tasks().stream().filter(DeliveryTask::isSuspect).toList();
			List<DeliveryTask> ordinary = read.tasks()
				.stream()
				.filter((task) -> !task.isSuspect() && !exceeds(task))
				.toList();
			if (!read.tasks().isEmpty()) {
				this.cautious = !suspects.isEmpty();
			}
			ordinary.stream().filter((task) -> !poolOf(task).equals(this.shared)).forEach(this.state::returnPermit);
			suspects.forEach(this::admit);
			split(ordinary).forEach((pool, some) -> begin(pool.workers(), pool.add(some)));
			releaseIfStopped(read.tasks());
		}
		finally {
			this.state.dispatched();
		}
		this.state.isolation().beginIfAlone();
	}

	/**
	 * Whether a message with crashes would occupy the last permit; releases this message.
	 */
	private boolean exceeds(DeliveryTask task) {
		boolean exceeds = task.hasCrashed() && poolOf(task).equals(this.shared) && !this.state.occupy(task);
		if (exceeds) {
			this.state.settle(Settlement.releaseFor(task, PAUSE_AFTER_CRASHES));
		}
		return exceeds;
	}

	private WorkerPool poolOf(DeliveryTask task) {
		String group = task.group();
		return (group != null) ? this.dedicated.getOrDefault(group, this.shared) : this.shared;
	}

	/**
	 * Splits messages by the pool of workers that handles them; the result always
	 * contains the shared pool.
	 */
	private Map<WorkerPool, List<DeliveryTask>> split(List<DeliveryTask> tasks) {
		if (this.dedicated.isEmpty()) {
			return Map.of(this.shared, tasks);
		}
		Map<WorkerPool, List<DeliveryTask>> split = new HashMap<>(Map.of(this.shared, new ArrayList<>()));
		tasks.forEach((task) -> split.computeIfAbsent(poolOf(task), (absent) -> new ArrayList<>()).add(task));
		return split;
	}

	private void admit(DeliveryTask suspect) {
		SuspectIsolation isolation = this.state.isolation();
		if (this.state.occupy(suspect)
				&& isolation.admit(new Suspect(suspect, this.state.consumer(), this::beginSuspect))) {
			this.watch.dueIn(isolation.leftNanos(this.state.consumer()));
		}
		else if (isolation.isOpen()) {
			// The delay prevents this process from reading the suspect again at once
			this.state.settle(Settlement.releaseFor(suspect, PAUSE_AFTER_CRASHES));
		}
		else {
			this.state.settle(Settlement.release(suspect));
		}
	}

	/**
	 * Releases all messages that no worker has begun; if the consumer is closing, also a
	 * suspect that has not begun.
	 */
	void releaseUnstarted() {
		this.pools.forEach((pool) -> release(pool.takeUnstarted()));
		if (this.state.isClosing()) {
			DeliveryTask suspect = this.state.isolation().begin(this.state.consumer());
			if (suspect != null) {
				release(List.of(suspect));
			}
		}
	}

	/** Releases the messages that match the predicate and that no worker has begun. */
	void releaseUnstarted(Predicate<DeliveryTask> which) {
		this.pools.forEach((pool) -> release(pool.takeUnstarted(which)));
	}

	/**
	 * Releases all messages that no worker has begun, if the partition of one of the
	 * given messages was paused or held after the read.
	 */
	private void releaseIfStopped(List<DeliveryTask> tasks) {
		if (tasks.stream().anyMatch((task) -> this.state.partition(task.partition()).isStopped())) {
			releaseUnstarted();
		}
	}

	void stop() {
		this.pools.forEach(WorkerPool::stopBatches);
		this.watch.stop();
	}

	void close() {
		this.state.isolation().forget(this.isIdle, this.readable, this.state.consumer());
		this.pools.forEach((pool) -> pool.threads().close());
	}

	private void beginLate(Workers workers, List<List<DeliveryTask>> batches) {
		begin(workers, batches);
		batches.forEach(this::releaseIfStopped);
	}

	private void begin(Workers workers, List<List<DeliveryTask>> calls) {
		boolean taken = workers.add(calls);
		if (this.state.isClosing() || !this.state.isolation().isOpen()) {
			releaseUnstarted();
		}
		else if (!taken) {
			release(workers.takeUnstarted());
		}
		this.state.isolation().beginIfAlone();
	}

	private Pause watch() {
		long next = this.runs.abandonOverdue(this::letGo);
		if (this.runs.areAnyAbandoned()) {
			// An executor of the application may accept workers although abandoned
			// handlers occupy all its threads
			long longest = this.state.settings().retry().timeout().toNanos();
			this.pools.forEach((pool) -> pool.workers()
				.takeStuck(longest)
				.forEach((task) -> this.state.settle(Settlement.releaseForLater(task))));
			next = Math.min(next, longest);
		}
		SuspectIsolation isolation = this.state.isolation();
		String consumer = this.state.consumer();
		isolation.advance(consumer);
		isolation.beginIfAlone();
		DeliveryTask joining = isolation.join(consumer);
		if (joining != null) {
			handle(joining);
		}
		DeliveryTask waited = isolation.giveUp(consumer);
		if (waited != null) {
			this.state.settle(Settlement.releaseFor(waited, PAUSE_AFTER_CRASHES));
		}
		return Pause.of(Math.min(next, Math.max(1, isolation.leftNanos(consumer))));
	}

	private @Nullable Runnable letGo(Thread thread) {
		for (WorkerPool pool : this.pools) {
			if (pool.workers().letGo(thread)) {
				return () -> replaceWorker(pool.workers());
			}
		}
		return null;
	}

	private void replaceWorker(Workers workers) {
		if (!workers.replaceOne()) {
			release(workers.takeUnstarted());
		}
	}

	private void release(List<DeliveryTask> unstarted) {
		unstarted.forEach((task) -> this.state.settle(Settlement.release(task)));
	}

	/** Whether no worker is active and no handler runs. */
	private boolean isIdle() {
		return this.pools.stream().allMatch((pool) -> pool.workers().areIdle()) && this.runs.inFlight() == 0;
	}

	/**
	 * Begins the waiting suspect, unless a settlement waits for Redis: if the process
	 * died now, the message of this settlement would be handled again.
	 */
	private void beginSuspect() {
		if (!this.state.isSettled()) {
			return;
		}
		DeliveryTask suspect = this.state.isolation().begin(this.state.consumer());
		if (suspect != null) {
			this.watch.dueIn(this.state.isolation().leftNanos(this.state.consumer()));
			handle(suspect);
		}
	}

	private void handle(DeliveryTask suspect) {
		if (!this.shared.workers().add(List.of(List.of(suspect)))) {
			releaseUnstarted();
		}
	}

}
