package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import io.delayqueue.queue.QueueSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Knows each queue's partition count, as the first process that used the queue stored it.
 */
public final class QueueDirectory {

	private static final Log logger = LogFactory.getLog(QueueDirectory.class);

	/**
	 * A consumer that has stopped is off the group at once. One that was killed counts
	 * until it has been silent for so long: its idle time grows also while it lives and
	 * there is nothing to deliver.
	 */
	private static final Duration ALIVE = Duration.ofHours(1);

	private static final Pattern COUNT = Pattern.compile("\\d{1,4}");

	private static final int SHOWN = 20;

	private final RedisCalls calls;

	private final Set<String> entered = ConcurrentHashMap.newKeySet();

	/** The queues whose partition count a thread of this process is changing. */
	private final Set<String> changing = ConcurrentHashMap.newKeySet();

	/** How many changes have been undone, so that a count read meanwhile is not used. */
	private final AtomicInteger undone = new AtomicInteger();

	/**
	 * Creates the directory.
	 * @param calls the way to Redis
	 */
	public QueueDirectory(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Enters a queue at this process's first contact with it, and checks that other
	 * processes see it alike. The partition count of a queue that holds messages cannot
	 * be changed: they would not be found.
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
	 * One thread at a time: two that change the same queue would undo each other's work.
	 * The others try again later instead of waiting for its calls to Redis.
	 */
	private void changeAlone(QueueSettings settings) {
		if (!this.changing.add(settings.name())) {
			throw beingChanged(settings.name());
		}
		try {
			// Another thread may have changed it since the caller has looked
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
	 * Mends what a change of the partition count has left that did not come to its end: a
	 * partition that goes by another count than the directory.
	 * @param settings the queue's settings
	 * @param partition the partition
	 * @param refusal how it refused a call
	 * @return whether the partition goes by the queue's count now
	 */
	public boolean mend(QueueSettings settings, Partition partition, StoreException refusal) {
		return "PARTITIONS".equals(FailureKind.code(refusal)) && remembered(settings) == settings.partitions()
				&& claim(settings.name(), partition.number(), settings.partitions()) == Claimed.CLAIMED;
	}

	/**
	 * Enters a queue again whose keys somebody has removed. If that fails, the next
	 * contact tries again.
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
	 * Looks, without changing anything, whether {@link #enter} would refuse a queue
	 * because it holds messages.
	 * @param settings the queue's settings
	 * @return what is wrong; empty if nothing is
	 * @throws StoreException if Redis does not answer
	 */
	List<Finding> conflict(QueueSettings settings) {
		int stored = partitions(settings.name());
		if (stored == 0 || stored == settings.partitions()) {
			return List.of();
		}
		for (int number = 0; number < Math.max(stored, settings.partitions()); number++) {
			if (holdsMessages(new Partition(settings.name(), number))) {
				return List.of(Finding.fault(problem(settings, stored, "holds messages or dead letters"),
						"Set it to " + stored + ", or change it when the queue is empty"));
			}
		}
		return List.of();
	}

	private boolean holdsMessages(Partition partition) {
		byte[] messages = this.calls.key(partition, Key.MESSAGES);
		Long held = this.calls.command(partition, Key.MESSAGES,
				(connection) -> connection.hashCommands().hLen(messages));
		return held != null && held > 0;
	}

	/**
	 * All queues that have ever been used.
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
	 * @return the count, 0 if no queue of this name has ever been used
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
						+ "': another program wrote it; remove the field with HDEL, and the queue enters itself anew",
				null);
	}

	/** The partition count that is stored, which is ours if there was none. */
	private int remembered(QueueSettings settings) {
		byte[] field = Reply.bytes(settings.name());
		byte @Nullable [] stored = stored(field);
		if (stored == null) {
			// Only now: a full Redis refuses it, and a queue that holds messages is known
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
	 * Claims each partition of before and of now: producers that still go by the old
	 * count are refused by those that are claimed. Claims them once more when the
	 * directory has the new count, because until then one of the others may have mended a
	 * partition and used it. Undoes all of it if one refuses.
	 */
	private void change(QueueSettings settings, int stored) {
		boolean written = false;
		try {
			claimAll(settings, stored);
			write(settings, settings.partitions());
			written = true;
			claimAll(settings, stored);
			logger.warn("Queue '" + settings.name() + "' has " + settings.partitions() + " partitions now; it had "
					+ stored + ", and processes that still go by that are refused");
		}
		catch (StoreException failure) {
			undo(settings, stored, written);
			this.undone.incrementAndGet();
			throw failure;
		}
	}

	private void claimAll(QueueSettings settings, int stored) {
		for (int number = 0; number < Math.max(stored, settings.partitions()); number++) {
			Claimed claimed = claim(settings.name(), number, settings.partitions());
			if (claimed != Claimed.CLAIMED) {
				throw refused(settings, stored, claimed);
			}
		}
	}

	/**
	 * Leaves alone what another process has brought to its end meanwhile. What cannot be
	 * undone now is mended by whoever meets it.
	 */
	private void undo(QueueSettings settings, int stored, boolean written) {
		try {
			if (written) {
				write(settings, stored);
			}
			else if (remembered(settings) != stored) {
				return;
			}
			for (int number = 0; number < Math.max(stored, settings.partitions()); number++) {
				claim(settings.name(), number, stored);
			}
		}
		catch (StoreException failure) {
			logger.warn("Queue '" + settings.name() + "' could not be given back its " + stored + " partitions yet",
					failure);
		}
	}

	private void write(QueueSettings settings, int partitions) {
		this.calls.command((connection) -> connection.hashCommands()
			.hSet(key(), Reply.bytes(settings.name()), Reply.bytes(partitions)));
	}

	private Claimed claim(String queue, int number, int partitions) {
		return this.calls
			.run(StoreScript.CLAIM_PARTITION_COUNT, new Partition(queue, number), Reply.bytes(partitions),
					Reply.bytes(ALIVE.toMillis()))
			.word(Claimed.class, 0);
	}

	private static StoreException refused(QueueSettings settings, int stored, Claimed claimed) {
		boolean holds = claimed == Claimed.HOLDS;
		return new StoreException(FailureKind.REFUSED,
				problem(settings, stored,
						holds ? "holds messages or dead letters" : "is consumed by a process that goes by them")
						+ "; set it to " + stored + ", or change it when " + (holds ? "the queue is empty"
								: "that process has been stopped (one that was killed counts for an hour)"),
				null);
	}

	private static String problem(QueueSettings settings, int stored, String why) {
		return "Queue '" + settings.name() + "' has " + stored + " partitions and " + why + ", but delayqueue.queues."
				+ settings.name() + ".partitions is " + settings.partitions();
	}

	private byte[] key() {
		return Reply.bytes(this.calls.keySpace().queues());
	}

	/** What a claim met. */
	private enum Claimed {

		/** The partition goes by the new count. */
		CLAIMED,

		/** It holds messages. */
		HOLDS,

		/** A consumer goes by the old count. */
		USED

	}

}
