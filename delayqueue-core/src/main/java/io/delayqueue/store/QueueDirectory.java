package io.delayqueue.store;

import java.time.Duration;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The partition count of each queue, as stored by the first process that used the queue.
 */
public final class QueueDirectory {

	private static final Log logger = LogFactory.getLog(QueueDirectory.class);

	/**
	 * The time for which a killed consumer counts as alive, because the idle time of a
	 * living consumer also grows while there is nothing to deliver. A stopped consumer
	 * leaves the group at once.
	 */
	private static final Duration ALIVE = Duration.ofHours(1);

	private static final Pattern COUNT = Pattern.compile("\\d{1,4}");

	private static final int SHOWN = 20;

	private final RedisCalls calls;

	private final Set<String> entered = ConcurrentHashMap.newKeySet();

	/** The queues whose partition count a thread of this process is changing. */
	private final Set<String> changing = ConcurrentHashMap.newKeySet();

	/** How many changes were undone, so that a count read meanwhile is not used. */
	private final AtomicInteger undone = new AtomicInteger();

	/**
	 * Creates the directory.
	 * @param calls the way to Redis
	 */
	public QueueDirectory(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Registers a queue when this process first uses it, and checks that other processes
	 * use the same partition count. The count of a queue that holds messages cannot be
	 * changed, because the messages would not be found.
	 * @param settings the queue's settings
	 * @throws StoreException if the queue has another partition count and holds messages
	 * or is in use, if another thread is changing the count, or Redis does not answer
	 */
	public void enter(QueueSettings settings) {
		String queue = settings.name();
		if (this.entered.contains(queue)) {
			return;
		}
		int undoneBefore = this.undone.get();
		if (remembered(settings) != settings.partitions()) {
			changeAlone(settings);
		}
		else if (this.changing.contains(queue) || this.undone.get() != undoneBefore) {
			throw beingChanged(queue);
		}
		this.entered.add(queue);
	}

	/**
	 * One thread at a time: two threads that change the same queue would undo each
	 * other's work. Other threads try again later instead of waiting for its calls to
	 * Redis.
	 */
	private void changeAlone(QueueSettings settings) {
		if (!this.changing.add(settings.name())) {
			throw beingChanged(settings.name());
		}
		try {
			// Another thread may have changed the count since the caller read it
			int stored = remembered(settings);
			if (stored != settings.partitions()) {
				change(settings, stored);
			}
		}
		finally {
			this.changing.remove(settings.name());
		}
	}

	private static StoreException beingChanged(String queue) {
		return StoreException
			.notSent("another thread of this process is changing the partition count of queue '" + queue + "'");
	}

	/**
	 * Completes an interrupted change, which left a partition with another count than the
	 * directory.
	 * @param settings the queue's settings
	 * @param partition the partition
	 * @param refusal the error with which it refused a call
	 * @return whether the partition has the queue's count now
	 */
	public boolean completeChange(QueueSettings settings, Partition partition, StoreException refusal) {
		return "PARTITIONS".equals(refusal.code()) && remembered(settings) == settings.partitions()
				&& claim(partition, settings.partitions()) == Claimed.CLAIMED;
	}

	/**
	 * Registers a queue again whose keys were removed. If that fails, the next use of the
	 * queue tries again.
	 * @param settings the queue's settings
	 */
	public void remember(QueueSettings settings) {
		try {
			remembered(settings);
		}
		catch (StoreException failure) {
			this.entered.remove(settings.name());
		}
	}

	/**
	 * Checks, without changing anything, whether {@link #enter} would refuse a queue
	 * because it holds messages.
	 * @param settings the queue's settings
	 * @return the stored partition count, 0 if there is no conflict
	 * @throws StoreException if Redis does not answer
	 */
	public int conflictingPartitions(QueueSettings settings) {
		int stored = partitions(settings.name());
		boolean conflicts = stored != 0 && stored != settings.partitions()
				&& anyOf(settings, stored).anyMatch(this::holdsMessages);
		return conflicts ? stored : 0;
	}

	private boolean holdsMessages(Partition partition) {
		byte[] messages = this.calls.key(partition, Key.MESSAGES);
		Long held = this.calls.command(partition, Key.MESSAGES,
				(connection) -> connection.hashCommands().hLen(messages));
		return held != null && held > 0;
	}

	/**
	 * All registered queues.
	 * @return each queue with its partition count, in the order of their names
	 * @throws StoreException if Redis does not answer
	 */
	public SortedMap<String, Integer> all() {
		SortedMap<String, Integer> all = new TreeMap<>();
		var stored = this.calls.command((connection) -> connection.hashCommands().hGetAll(key()));
		if (stored != null) {
			stored.forEach((queue, count) -> all.put(Reply.text(queue), count(Reply.text(queue), count)));
		}
		return all;
	}

	/**
	 * The partition count of one queue.
	 * @param queue any name
	 * @return the count, 0 if no queue of this name is registered
	 * @throws StoreException if Redis does not answer
	 */
	public int partitions(String queue) {
		byte @Nullable [] stored = stored(Reply.bytes(queue));
		return (stored != null) ? count(queue, stored) : 0;
	}

	private int count(String queue, byte[] stored) {
		String text = Reply.text(stored);
		if (COUNT.matcher(text).matches() && QueueSettings.PARTITIONS.contains(Integer.valueOf(text))) {
			return Integer.parseInt(text);
		}
		throw new StoreException(FailureKind.REFUSED,
				"Key '" + this.calls.keySpace().queues() + "' gives queue '" + queue + "' the partition count '"
						+ ((text.length() > SHOWN) ? text.substring(0, SHOWN) + "..." : text)
						+ "': another program wrote it; remove the field with HDEL, and the queue is registered again",
				null);
	}

	/** The stored partition count; stores the one of the settings if there is none. */
	private int remembered(QueueSettings settings) {
		byte[] field = Reply.bytes(settings.name());
		byte @Nullable [] stored = stored(field);
		if (stored == null) {
			// Only if absent: a full Redis refuses the write
			this.calls.command(
					(connection) -> connection.hashCommands().hSetNX(key(), field, Reply.bytes(settings.partitions())));
			stored = stored(field);
		}
		return (stored != null) ? count(settings.name(), stored) : settings.partitions();
	}

	private byte @Nullable [] stored(byte[] field) {
		return this.calls.command((connection) -> connection.hashCommands().hGet(key(), field));
	}

	/**
	 * Claims each partition of the old and of the new count: claimed partitions refuse
	 * producers that still use the old count. Claims the partitions again when the
	 * directory has the new count, because until then another process may have restored
	 * and used a partition. Undoes everything if a partition refuses.
	 */
	private void change(QueueSettings settings, int stored) {
		boolean written = false;
		try {
			claimAll(settings, stored);
			write(settings, settings.partitions());
			written = true;
			claimAll(settings, stored);
			logger.warn("Queue '" + settings.name() + "' has " + settings.partitions() + " partitions now; it had "
					+ stored + ", and processes that still use the old count are refused");
		}
		catch (StoreException failure) {
			undo(settings, stored, written);
			this.undone.incrementAndGet();
			throw failure;
		}
	}

	private void claimAll(QueueSettings settings, int stored) {
		anyOf(settings, stored).forEach((partition) -> {
			Claimed claimed = claim(partition, settings.partitions());
			if (claimed != Claimed.CLAIMED) {
				throw refused(settings, stored, claimed);
			}
		});
	}

	/** The partitions of the old and of the new count. */
	private static Stream<Partition> anyOf(QueueSettings settings, int stored) {
		return IntStream.range(0, Math.max(stored, settings.partitions()))
			.mapToObj((number) -> new Partition(settings.name(), number));
	}

	/**
	 * Undoes a change, unless another process has completed it. If undoing fails,
	 * {@link #completeChange} corrects the partitions later.
	 */
	private void undo(QueueSettings settings, int stored, boolean written) {
		try {
			if (written) {
				write(settings, stored);
			}
			else if (remembered(settings) != stored) {
				return;
			}
			anyOf(settings, stored).forEach((partition) -> claim(partition, stored));
		}
		catch (StoreException failure) {
			logger.warn("Queue '" + settings.name() + "' could not be reset to its " + stored
					+ " partitions; delayqueue tries again when a partition refuses a call", failure);
		}
	}

	private void write(QueueSettings settings, int partitions) {
		this.calls.command((connection) -> connection.hashCommands()
			.hSet(key(), Reply.bytes(settings.name()), Reply.bytes(partitions)));
	}

	private Claimed claim(Partition partition, int partitions) {
		return this.calls.run(StoreScript.CLAIM_PARTITION_COUNT, partition, partitions, ALIVE).word(Claimed.class, 0);
	}

	private static StoreException refused(QueueSettings settings, int stored, Claimed claimed) {
		boolean holds = claimed == Claimed.HOLDS;
		return new StoreException(FailureKind.REFUSED,
				"Queue '" + settings.name() + "' has " + stored + " partitions and "
						+ (holds ? "holds messages or dead letters" : "is consumed by a process that uses this count")
						+ ", but delayqueue.queues." + settings.name() + ".partitions is " + settings.partitions()
						+ "; set this property to " + stored + ", or change it when " + (holds ? "the queue is empty"
								: "that process has been stopped (a killed process counts for an hour)"),
				null);
	}

	private byte[] key() {
		return Reply.bytes(this.calls.keySpace().queues());
	}

	/**
	 * The result of a claim. A partition is not claimed if it holds messages, or if a
	 * consumer uses the old count.
	 */
	private enum Claimed {

		CLAIMED, HOLDS, USED

	}

}
