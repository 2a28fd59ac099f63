package io.delayqueue.store;

import java.time.Duration;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * Knows each queue's partition count, as the first process that used the queue stored it.
 */
public final class QueueDirectory {

	/** After so much silence a consumer counts as gone. */
	private static final Duration ALIVE = Duration.ofSeconds(30);

	private final RedisCalls calls;

	private final Set<String> entered = ConcurrentHashMap.newKeySet();

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
	 * or is in use, or Redis does not answer
	 */
	public void enter(QueueSettings settings) {
		if (this.entered.contains(settings.name())) {
			return;
		}
		int stored = remembered(settings);
		if (stored != settings.partitions()) {
			change(settings, stored);
			this.calls.command((connection) -> connection.hashCommands()
				.hSet(key(), Reply.bytes(settings.name()), Reply.bytes(settings.partitions())));
		}
		this.entered.add(settings.name());
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
	 * All queues that have ever been used.
	 * @return each queue with its partition count, in the order of their names
	 * @throws StoreException if Redis does not answer
	 */
	public SortedMap<String, Integer> all() {
		SortedMap<String, Integer> all = new TreeMap<>();
		var stored = this.calls.command((connection) -> connection.hashCommands().hGetAll(key()));
		if (stored != null) {
			stored.forEach((queue, count) -> all.put(Reply.text(queue), Integer.parseInt(Reply.text(count))));
		}
		return all;
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
		return (stored != null) ? Integer.parseInt(Reply.text(stored)) : settings.partitions();
	}

	private byte @Nullable [] stored(byte[] field) {
		return this.calls.command((connection) -> connection.hashCommands().hGet(key(), field));
	}

	/**
	 * Claims each partition of before and of now, and gives them back if one refuses:
	 * producers that still go by the old count are refused by those that are claimed.
	 */
	private void change(QueueSettings settings, int stored) {
		int all = Math.max(stored, settings.partitions());
		for (int number = 0; number < all; number++) {
			Claimed claimed = claim(settings.name(), number, settings.partitions());
			if (claimed != Claimed.CLAIMED) {
				for (int before = 0; before < number; before++) {
					claim(settings.name(), before, stored);
				}
				throw refused(settings, stored, claimed);
			}
		}
	}

	private Claimed claim(String queue, int number, int partitions) {
		return this.calls
			.run(StoreScript.CLAIM, new Partition(queue, number), Reply.bytes(KeySpace.LAYOUT), Reply.bytes(partitions),
					Reply.bytes(ALIVE.toMillis()))
			.word(Claimed.class, 0);
	}

	private static StoreException refused(QueueSettings settings, int stored, Claimed claimed) {
		boolean holds = claimed == Claimed.HOLDS;
		return new StoreException(FailureKind.REFUSED, "Queue '" + settings.name() + "' has " + stored
				+ " partitions and " + (holds ? "holds messages" : "is consumed by a process that goes by them")
				+ ", but delayqueue.queues." + settings.name() + ".partitions is " + settings.partitions()
				+ "; set it to " + stored + ", or change it when "
				+ (holds ? "the queue is empty" : "that process has been stopped for " + ALIVE.toSeconds() + " s"),
				null);
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
