package io.delayqueue.store;

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
	 * @throws StoreException if the queue holds messages under another partition count,
	 * or Redis does not answer
	 */
	public void enter(QueueSettings settings) {
		if (this.entered.contains(settings.name())) {
			return;
		}
		byte[] key = Reply.bytes(this.calls.keySpace().queues());
		byte[] field = Reply.bytes(settings.name());
		byte[] count = Reply.bytes(settings.partitions());
		boolean isNew = Boolean.TRUE
			.equals(this.calls.command((connection) -> connection.hashCommands().hSetNX(key, field, count)));
		byte @Nullable [] stored = isNew ? count
				: this.calls.command((connection) -> connection.hashCommands().hGet(key, field));
		int partitions = (stored != null) ? Integer.parseInt(Reply.text(stored)) : settings.partitions();
		if (partitions != settings.partitions()) {
			refuseIfNotEmpty(settings, partitions);
			this.calls.command((connection) -> connection.hashCommands().hSet(key, field, count));
		}
		this.entered.add(settings.name());
	}

	private void refuseIfNotEmpty(QueueSettings settings, int partitions) {
		for (int number = 0; number < partitions; number++) {
			byte[] messages = this.calls.key(new Partition(settings.name(), number), Key.MESSAGES);
			Long held = this.calls.command((connection) -> connection.hashCommands().hLen(messages));
			if (held != null && held > 0) {
				throw new StoreException(FailureKind.REFUSED,
						"Queue '" + settings.name() + "' has " + partitions
								+ " partitions and holds messages, but delayqueue.queues." + settings.name()
								+ ".partitions is " + settings.partitions() + "; set it to " + partitions
								+ ", or change it when the queue is empty",
						null);
			}
		}
	}

	/**
	 * All queues that have ever been used.
	 * @return each queue with its partition count, in the order of their names
	 * @throws StoreException if Redis does not answer
	 */
	public SortedMap<String, Integer> all() {
		byte[] key = Reply.bytes(this.calls.keySpace().queues());
		SortedMap<String, Integer> all = new TreeMap<>();
		var stored = this.calls.command((connection) -> connection.hashCommands().hGetAll(key));
		if (stored != null) {
			stored.forEach((queue, count) -> all.put(Reply.text(queue), Integer.parseInt(Reply.text(count))));
		}
		return all;
	}

}
