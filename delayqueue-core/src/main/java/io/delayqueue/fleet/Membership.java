package io.delayqueue.fleet;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Epochs;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Hint;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.store.Members.Member;
import io.delayqueue.store.Members.Refreshed;
import io.delayqueue.store.QueueDirectory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Refreshes the entry of this process in the list of members in Redis, every 1.5 seconds
 * while the process consumes queues, and keeps a copy of the list. A process that does
 * not sweep only reads the list.
 */
final class Membership implements Signals.QueueListener {

	private static final Log logger = LogFactory.getLog(Membership.class);

	private static final Duration REFRESH = Duration.ofMillis(1500);

	/**
	 * The longest random wait between a hint and the read of the list of members. The
	 * wait is random because many processes receive the hint at once.
	 */
	private static final Duration HINT_SPREAD = Duration.ofMillis(100);

	/** The time after which all processes should have read a changed list of members. */
	private static final Duration SETTLE = HINT_SPREAD.multipliedBy(2);

	/** The longest time for which hints wait for the list of members. */
	private static final Duration PATIENCE = Duration.ofMillis(50);

	private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final String name;

	private final boolean sweeping;

	private final Members members;

	private final QueueDirectory directory;

	private final HintChannel hints;

	private final RedisGate gate;

	private final TaskPool tasks;

	/**
	 * The queues whose consumer runs in this process, even if no call to Redis for the
	 * queue has succeeded yet.
	 */
	private final Map<String, Epochs> starting = new ConcurrentHashMap<>();

	/**
	 * Those queues of {@link #starting} for which a call to Redis has succeeded. This
	 * process takes turns to sweep these queues.
	 */
	private final ConcurrentSkipListMap<String, Epochs> queues = new ConcurrentSkipListMap<>();

	private volatile Consumer<Collection<Epochs>> onChange = (consumed) -> {
	};

	/**
	 * The task that refreshes the entry of this process in the list of members;
	 * {@code null} while this process consumes no queue.
	 */
	private volatile @Nullable Task refresh;

	/** Whether a thread reads the list for {@link #look}. */
	private final AtomicBoolean looking = new AtomicBoolean();

	private volatile Roster roster = Roster.UNKNOWN;

	/**
	 * The time ({@code nanoTime}) at which {@link #onChange} runs a second time for the
	 * last change of the list, because other processes may have used an older list to
	 * send hints; {@code null} when no second run is due.
	 */
	private volatile @Nullable Long settlesAt;

	Membership(String name, boolean sweeping, Members members, QueueDirectory directory, HintChannel hints,
			Signals signals, RedisGate gate, TaskPool tasks) {
		this.name = name;
		this.sweeping = sweeping;
		this.members = members;
		this.directory = directory;
		this.hints = hints;
		this.gate = gate;
		this.tasks = tasks;
		signals.register(this);
		gate.onOpen(() -> refreshIn(0));
	}

	/** Returns the list of members as this process has last read the list. */
	Roster roster() {
		return this.roster;
	}

	/**
	 * Returns the epochs of a queue, {@code null} if this process does not consume the
	 * queue.
	 */
	@Nullable Epochs epochs(String queue) {
		return this.queues.get(queue);
	}

	/** Returns the queues that this process consumes. */
	Collection<Epochs> consumed() {
		return List.copyOf(this.queues.values());
	}

	@Override
	public synchronized void consuming(Epochs epochs) {
		this.starting.put(epochs.queue(), epochs);
		if (this.queues.replace(epochs.queue(), epochs) != null) {
			refreshIn(SOON_NANOS);
		}
		if (this.refresh == null) {
			this.refresh = this.tasks.task("delayqueue-member", this::refresh);
		}
	}

	/**
	 * Makes this process take turns to sweep a queue. Called when the first call to Redis
	 * for the queue has succeeded.
	 */
	synchronized void consumes(String queue) {
		Epochs epochs = this.queues.containsKey(queue) ? null : this.starting.get(queue);
		if (epochs != null) {
			this.queues.put(queue, epochs);
			refreshIn(SOON_NANOS);
		}
	}

	@Override
	public void notConsuming(String queue) {
		// Check under the lock, because the consumer of another queue may start meanwhile
		synchronized (this) {
			this.starting.remove(queue);
			this.queues.remove(queue);
			if (!this.starting.isEmpty()) {
				refreshIn(SOON_NANOS);
				return;
			}
			stopRefresh();
		}
		tryLeave();
	}

	private void refreshIn(long nanos) {
		Task started = this.refresh;
		if (started != null) {
			started.dueIn(nanos);
		}
	}

	/** Sets the action that runs when the list of members has changed. */
	void onChange(Consumer<Collection<Epochs>> action) {
		this.onChange = action;
	}

	/**
	 * Reads the list of members soon, because a hint reports that the list has changed.
	 */
	void membersChanged() {
		refreshIn(ThreadLocalRandom.current().nextLong(HINT_SPREAD.toNanos()));
	}

	private Pause refresh() {
		return this.gate.run(() -> {
			SortedMap<String, Epochs> consumed = new TreeMap<>(this.queues);
			long asked = System.nanoTime();
			String version = this.roster.version();
			Refreshed refreshed = (this.sweeping && !consumed.isEmpty())
					? this.members.refresh(this.name, consumed, version) : this.members.list(version);
			this.gate.answered();
			if (refreshed.changed()) {
				// Send the hint first, because the following calls to Redis may take long
				// or fail
				this.hints.publish(Hint.MEMBERS, null);
			}
			accept(refreshed, asked);
			this.directory.refresh(refreshed.epochsVersion());
			if (this.queues.isEmpty()) {
				// This process has stopped consuming queues during the call to Redis
				leave();
			}
			Long settles = this.settlesAt;
			return Pause.of((settles != null) ? Math.max(SOON_NANOS, settles - System.nanoTime())
					: REFRESH.toNanos() - ThreadLocalRandom.current().nextLong(REFRESH.toNanos() / 8));
		}, REFRESH::toNanos);
	}

	private void leave() {
		if (this.roster.contains(this.name)) {
			accept(this.members.leave(this.name), System.nanoTime());
			this.hints.publish(Hint.MEMBERS, null);
		}
	}

	/**
	 * Reads the list of members if this process is not a member, at most once in 1.5 s.
	 * Waits for the list for {@link #PATIENCE} at most, and only for a read that no other
	 * thread has begun: the server of the list may hang.
	 */
	void look() {
		Roster seen = this.roster;
		if (this.queues.isEmpty() && (!seen.isKnown() || seen.ageNanos() > REFRESH.toNanos())
				&& this.looking.compareAndSet(false, true)) {
			try {
				CompletableFuture.runAsync(this::list, (read) -> this.tasks.execute("delayqueue-members", read))
					.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (ExecutionException | TimeoutException | RejectedExecutionException unavailable) {
				logger.debug("The list of members is not known: hints go to all processes", unavailable);
			}
			catch (InterruptedException interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void list() {
		try {
			long asked = System.nanoTime();
			Refreshed listed = this.members.list(this.roster.version());
			accept(listed, asked);
			this.directory.refresh(listed.epochsVersion());
		}
		finally {
			this.looking.set(false);
		}
	}

	private synchronized void accept(Refreshed refreshed, long askedNanos) {
		Roster before = this.roster;
		List<Member> listed = refreshed.members();
		this.roster = (listed != null) ? new Roster(this.name, refreshed, listed, askedNanos)
				: before.at(refreshed.nowMicros(), askedNanos);
		String change = this.roster.changeSince(before);
		boolean changed = !change.isEmpty() || !this.roster.version().equals(before.version());
		Long settlesAt = this.settlesAt;
		boolean settles = settlesAt != null && System.nanoTime() - settlesAt >= 0;
		if (changed || settles) {
			this.settlesAt = changed ? Long.valueOf(System.nanoTime() + SETTLE.toNanos()) : null;
		}
		if (!(changed || settles) || this.queues.isEmpty()) {
			return;
		}
		if (!change.isEmpty()) {
			logger.info("Process '" + this.name + "' has read a changed list of the processes that consume queues: "
					+ change);
		}
		this.onChange.accept(this.queues.values());
	}

	/**
	 * Removes this process from the list of members, so that other members take over its
	 * work at once.
	 */
	void stop() {
		synchronized (this) {
			this.starting.clear();
			this.queues.clear();
			stopRefresh();
		}
		tryLeave();
	}

	private void stopRefresh() {
		if (this.refresh != null) {
			this.refresh.stop();
			this.refresh = null;
		}
	}

	private void tryLeave() {
		if (this.gate.isOpen() && this.queues.isEmpty()) {
			try {
				leave();
				if (!this.queues.isEmpty()) {
					// Another queue has a consumer meanwhile
					refreshIn(0);
				}
			}
			catch (StoreException failure) {
				logger.debug("Could not leave the list of members, which will drop this process after "
						+ Members.TIME_TO_LIVE, failure);
			}
		}
	}

}
