package io.delayqueue.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.delayqueue.queue.DaemonThreads;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.StoredEpochs.FirstPartition;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The queues in Redis with their epochs (an epoch: the partitions of a queue while their
 * count stays the same), and a copy of what this process has read last. The first process
 * that uses a queue stores the partition count of the queue's first epoch. Safe for use
 * by several threads. The methods throw {@link StoreException}.
 */
public final class QueueDirectory {

	private static final Log logger = LogFactory.getLog(QueueDirectory.class);

	/** The interval between two tries to register a queue again, ns. */
	private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** The most queues that {@link #registerAll} registers in one call. */
	public static final int MOST = StoredEpochs.MOST;

	private static final long UNREAD = -1;

	private final RedisCalls calls;

	private final StoredEpochs stored;

	private final RecurringQueues recurring;

	private final Map<String, Epochs> cache = new ConcurrentHashMap<>();

	/**
	 * Queues whose stored partition count this process has compared with its settings.
	 */
	private final Set<String> registered = ConcurrentHashMap.newKeySet();

	/** The queues that the application names in its properties or consumes. */
	private final Map<String, QueueSettings> declared = new ConcurrentHashMap<>();

	/** Queue that this process could not register again -> the time of the last try. */
	private final Map<String, Long> unregistered = new ConcurrentHashMap<>();

	/** The queues that a thread of {@link #threads} registers again now. */
	private final Set<String> registering = ConcurrentHashMap.newKeySet();

	private final ThreadFactory threads = new DaemonThreads("delayqueue-queues-");

	private final List<Consumer<Epochs>> onChange = new CopyOnWriteArrayList<>();

	private volatile Consumer<QueueSettings> onHigherCount = (settings) -> {
	};

	/** The version of all epochs that this process has read last, or {@link #UNREAD}. */
	private volatile long version;

	/**
	 * Creates the directory of queues.
	 * @param calls the access to Redis
	 */
	public QueueDirectory(RedisCalls calls) {
		this.calls = calls;
		this.stored = new StoredEpochs(calls);
		this.recurring = new RecurringQueues(this.stored);
		// The mark may be lost before this process has read the version that has it
		this.recurring.onMark((queue) -> this.version = UNREAD);
	}

	/**
	 * Returns the queues that have recurring schedules.
	 * @return the queues, as this process has read them last
	 */
	public RecurringQueues recurring() {
		return this.recurring;
	}

	/**
	 * Adds an action that runs when this process reads changed epochs of a queue.
	 * @param action receives the new epochs; must return at once
	 */
	public void onChange(Consumer<Epochs> action) {
		this.onChange.add(action);
	}

	/**
	 * Sets the action that runs when this process has settings of a queue with a higher
	 * partition count than all settings that were applied to the queue before.
	 * @param action receives the settings; must return at once
	 */
	public void onHigherCount(Consumer<QueueSettings> action) {
		this.onHigherCount = action;
	}

	/**
	 * Declares a queue of the application: it can be operated before its first use.
	 * @param settings the queue's settings
	 */
	public void declare(QueueSettings settings) {
		this.declared.put(settings.name(), settings);
	}

	/**
	 * Reads the epochs of a queue from Redis. If no process has used the queue, but the
	 * application has declared it, registers the queue.
	 * @param queue a name; a queue with this name need not exist
	 * @return the epochs, empty if the queue is neither registered nor declared
	 */
	public Optional<Epochs> readOrRegister(String queue) {
		return read(queue).or(() -> Optional.ofNullable(this.declared.get(queue)).map(this::register));
	}

	/**
	 * Returns the epochs of a queue. At the first use of the queue, this process
	 * registers the queue in Redis. Later calls call Redis only to register a queue
	 * again.
	 * @param settings the queue's settings
	 * @return the epochs as this process has read them last
	 */
	public Epochs register(QueueSettings settings) {
		Epochs epochs = this.cache.get(settings.name());
		if (epochs != null && this.registered.contains(settings.name())) {
			Long tried = this.unregistered.isEmpty() ? null : this.unregistered.get(settings.name());
			if (tried != null && System.nanoTime() - tried > AGAIN_NANOS) {
				registerAgain(List.of(settings));
			}
			return epochs;
		}
		return registerAll(List.of(settings)).get(0);
	}

	/**
	 * Whether this process has not registered a queue yet.
	 * @param queue the queue
	 * @return {@code true} before the first use of the queue
	 */
	public boolean isNew(String queue) {
		return !this.registered.contains(queue);
	}

	/**
	 * Registers queues at their first use as {@link #register} does, with a few calls to
	 * Redis for all of them. If a call fails, some of the queues may be registered.
	 * @param all the settings of 1 to {@value #MOST} different queues
	 * @return the epochs of each queue as this process has read them last
	 */
	public List<Epochs> registerAll(List<QueueSettings> all) {
		List<FirstPartition> firstPartitions = this.stored.firstPartitions(all);
		List<Epochs> read = this.stored.register(all, firstPartitions);
		return IntStream.range(0, all.size())
			.mapToObj((i) -> register(all.get(i), accept(read.get(i)), firstPartitions.get(i)))
			.toList();
	}

	private Epochs register(QueueSettings settings, Epochs read, FirstPartition first) {
		Epochs epochs = restore(read, this.stored.namedBy(read, first));
		this.registered.add(settings.name());
		if (settings.partitions() > epochs.raised()) {
			this.onHigherCount.accept(settings);
		}
		else if (settings.partitions() != epochs.current().partitions()) {
			logger.info("Queue '" + settings.name() + "' has " + epochs.current().partitions() + " partitions; "
					+ "delayqueue.queues." + settings.name() + ".partitions is " + settings.partitions()
					+ ", which has no effect: it is not above the highest earlier value, " + epochs.raised());
		}
		return epochs;
	}

	/**
	 * Returns the epochs of a queue without registering the queue. Calls Redis only if
	 * this process does not use the queue yet.
	 * @param settings the queue's settings
	 * @return the epochs; if none are stored, the first epoch with the settings' count
	 */
	public Epochs find(QueueSettings settings) {
		Epochs epochs = this.cache.get(settings.name());
		return (epochs != null) ? epochs : read(settings.name()).orElseGet(() -> cached(settings));
	}

	/**
	 * Returns the epochs of a queue that this process has read last. Does not call Redis.
	 * @param settings the queue's settings
	 * @return the epochs; if none were read, the first epoch with the settings' count
	 */
	public Epochs cached(QueueSettings settings) {
		Epochs epochs = this.cache.get(settings.name());
		return (epochs != null) ? epochs : Epochs.first(settings.name(), settings.partitions());
	}

	/**
	 * Registers queues again after their keys were removed. If Redis fails, a later call
	 * of {@link #register} tries again. In a cluster another thread registers the queues,
	 * because the server of the directory may hang.
	 * @param all the settings of different queues
	 */
	public void registerAgain(Collection<QueueSettings> all) {
		if (!this.calls.isCluster()) {
			registerNow(List.copyOf(all));
			return;
		}
		List<QueueSettings> mine = all.stream().filter((settings) -> this.registering.add(settings.name())).toList();
		if (!mine.isEmpty()) {
			this.threads.newThread(() -> {
				try {
					registerNow(mine);
				}
				finally {
					mine.forEach((settings) -> this.registering.remove(settings.name()));
				}
			}).start();
		}
	}

	private void registerNow(List<QueueSettings> all) {
		for (int from = 0; from < all.size(); from += MOST) {
			List<QueueSettings> some = all.subList(from, Math.min(all.size(), from + MOST));
			try {
				this.stored.register(some, this.stored.firstPartitions(some)).forEach(this::stillRegistered);
			}
			catch (StoreException failure) {
				logger.debug(some.size() + " queues could not be registered again, the first one is '"
						+ some.get(0).name() + "'", failure);
				some.forEach((settings) -> this.unregistered.put(settings.name(), System.nanoTime()));
			}
		}
	}

	private void stillRegistered(Epochs stored) {
		Epochs epochs = this.cache.get(stored.queue());
		if (epochs != null && !epochs.isFirst() && stored.isFirst()) {
			change(stored, epochs);
		}
		this.unregistered.remove(stored.queue());
	}

	/**
	 * Reads the epochs of a queue from Redis.
	 * @param queue a name; a queue with this name need not exist
	 * @return the epochs, empty if no queue of this name is registered
	 */
	public Optional<Epochs> read(String queue) {
		return this.stored.read(queue).map(this::restore);
	}

	/**
	 * Reads the epochs of a queue from Redis again.
	 * @param known the epochs that this process has read last
	 * @return the epochs that Redis stores, {@code known} if Redis stores none
	 */
	public Epochs refresh(Epochs known) {
		return this.stored.changed(known.queue()).map(this::restore).orElse(known);
	}

	/**
	 * Reads the epochs of a queue from Redis after a closed partition refused a call.
	 * @param partition the closed partition
	 * @return the epochs; one of them is newer than the epoch of the partition, unless a
	 * failover has opened the partition again
	 */
	public Epochs refreshFrom(Partition partition) {
		Epochs read = read(partition.queue()).orElseGet(() -> Epochs.first(partition.queue(), partition.number() + 1));
		List<Epoch> named = this.stored.namedBy(read, partition);
		// The new epoch is current for this caller only. In Redis the epoch stays
		// announced until the process that closes the other partitions activates it
		return named.isEmpty() ? read : restore(read, named).activate();
	}

	/**
	 * Reads the epochs of a queue, and writes lost epochs to Redis again.
	 * @param queue a registered queue
	 * @return the epochs
	 */
	public Epochs repair(String queue) {
		Epochs read = read(queue).orElseGet(() -> Epochs.first(queue, 1));
		return restore(read, this.stored.namedBy(read, new Partition(queue, 0)));
	}

	/**
	 * Checks the stored partition count of a queue without registering the queue.
	 * @param queue the queue
	 * @return a sentence that says why the count is invalid, without a full stop; empty
	 * if the count is valid
	 */
	public Optional<String> invalidCount(String queue) {
		return this.stored.invalidCount(queue);
	}

	/**
	 * Reads all registered queues from Redis.
	 * @return the epochs of each queue, in the order of their names
	 */
	public SortedMap<String, Epochs> all() {
		return this.stored.all();
	}

	/**
	 * Reads the epochs of all queues that this process uses, if the version of the epochs
	 * has changed since this process read them last.
	 * @param version the version of all epochs in Redis
	 */
	public void refresh(long version) {
		if (version == this.version) {
			return;
		}
		Map<String, byte[]> changed = this.stored.changed();
		this.recurring.read(changed.keySet());
		this.cache.forEach((queue, epochs) -> {
			byte @Nullable [] stored = changed.get(queue);
			if (stored != null) {
				restore(StoredEpochs.parse(queue, stored));
			}
			else if (!epochs.isFirst()) {
				change(Epochs.first(queue, 1), epochs);
			}
		});
		// Not the given version: what was read may be newer, and if it gets lost Redis
		// may report the given version again
		this.version = StoredEpochs.version(changed);
	}

	/**
	 * Stores new epochs of a queue, unless another process has changed the epochs.
	 * @param from the epochs that the caller expects in Redis
	 * @param to the new epochs
	 * @return whether Redis has the new epochs now
	 */
	public boolean change(Epochs from, Epochs to) {
		boolean changed = this.stored.change(from, to);
		if (changed) {
			accept(to);
		}
		return changed;
	}

	/**
	 * Writes later epochs of a queue again if Redis has lost them in a failover.
	 * Otherwise records the epochs that were read.
	 */
	private Epochs restore(Epochs read) {
		Epochs before = this.cache.get(read.queue());
		if (before != null && read.precedes(before)) {
			change(read, before);
			return before;
		}
		return accept(read);
	}

	/**
	 * Writes epochs of a queue again if Redis has lost them in a failover, but the key
	 * {@code control} of a closed partition still names them.
	 */
	private Epochs restore(Epochs read, List<Epoch> named) {
		if (named.stream().noneMatch((epoch) -> epoch.number() > read.newest().number())) {
			return read;
		}
		Epochs restored = read.restore(named);
		return change(read, restored) ? restored : read(read.queue()).orElse(read);
	}

	/**
	 * Records the epochs that this thread has read, unless another thread has read later
	 * epochs meanwhile.
	 */
	private synchronized Epochs accept(Epochs read) {
		Epochs before = this.cache.get(read.queue());
		if (before != null && read.precedes(before)) {
			return before;
		}
		this.cache.put(read.queue(), read);
		if (!read.equals(before)) {
			this.onChange.forEach((action) -> action.accept(read));
		}
		return read;
	}

}
