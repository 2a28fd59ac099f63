package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the epochs of queues in Redis: the partition count of each queue's
 * first epoch, and all epochs of queues whose count has changed. Keeps no copy of the
 * epochs. The methods throw {@link StoreException}.
 */
final class StoredEpochs {

	private static final Pattern COUNT = Pattern.compile("\\d{1,4}");

	private static final int SHOWN = 20;

	/**
	 * A placeholder in calls that need a partition as an argument: the key with the
	 * epochs belongs to no partition.
	 */
	private static final Partition ANY = new Partition("epochs", 0);

	private final RedisCalls calls;

	StoredEpochs(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Reads the epochs of a queue from Redis; returns an empty value if the queue is not
	 * registered.
	 */
	Optional<Epochs> read(String queue) {
		byte @Nullable [] count = count(queue);
		return (count != null) ? Optional.of(changed(queue).orElseGet(() -> first(queue, count))) : Optional.empty();
	}

	/**
	 * Reads from Redis the epochs (the successive partition counts) of all registered
	 * queues, by queue name.
	 */
	SortedMap<String, Epochs> all() {
		SortedMap<String, Epochs> all = new TreeMap<>();
		var counts = this.calls.command((connection) -> connection.hashCommands().hGetAll(queues()));
		Map<String, byte[]> changed = changed();
		if (counts != null) {
			counts.forEach((name, count) -> {
				String queue = Reply.text(name);
				byte @Nullable [] text = changed.get(queue);
				all.put(queue, (text != null) ? parse(queue, text) : first(queue, count));
			});
		}
		return all;
	}

	/**
	 * Reads the epochs of a queue from Redis. If the queue is not registered, registers
	 * it with the partition count of the settings.
	 */
	Epochs register(QueueSettings settings) {
		String queue = settings.name();
		byte @Nullable [] count = count(queue);
		if (count == null) {
			// Write only if no count is stored: a Redis that is out of memory refuses
			// HSETNX even if the field exists
			this.calls.command((connection) -> connection.hashCommands()
				.hSetNX(queues(), Reply.bytes(queue), firstCount(settings)));
			count = count(queue);
		}
		byte[] first = (count != null) ? count : Reply.bytes(settings.partitions());
		return changed(queue).orElseGet(() -> first(queue, first));
	}

	/**
	 * Returns the partition count with which to register a queue. If only the
	 * registration was lost, this is the count that partition 0 stores. Otherwise it is
	 * the count of the settings.
	 */
	private byte[] firstCount(QueueSettings settings) {
		byte @Nullable [] count = control(new Partition(settings.name(), 0), "partitions");
		return (count != null) ? count : Reply.bytes(settings.partitions());
	}

	/**
	 * Reads the epochs of all queues whose partition count has changed: queue name ->
	 * text of the epochs.
	 */
	Map<String, byte[]> changed() {
		byte[] key = this.calls.key(ANY, Key.EPOCHS);
		var stored = this.calls.command(ANY, Key.EPOCHS, (connection) -> connection.hashCommands().hGetAll(key));
		Map<String, byte[]> all = new TreeMap<>();
		Objects.requireNonNull(stored).forEach((queue, text) -> all.put(Reply.text(queue), text));
		return all;
	}

	/**
	 * Reads the epochs of a queue whose partition count has changed; returns an empty
	 * value if the count has never changed.
	 */
	Optional<Epochs> changed(String queue) {
		byte[] key = this.calls.key(ANY, Key.EPOCHS);
		byte @Nullable [] text = this.calls.command(ANY, Key.EPOCHS,
				(connection) -> connection.hashCommands().hGet(key, Reply.bytes(queue)));
		return Optional.ofNullable(text).map((changed) -> parse(queue, changed));
	}

	/**
	 * Writes new epochs of a queue, unless Redis has other epochs than the caller
	 * expects.
	 */
	boolean change(Epochs from, Epochs to) {
		return this.calls.run(StoreScript.CHANGE_EPOCHS, ANY, to.queue(), from.isFirst() ? "" : from.text(), to.text())
			.is("changed");
	}

	/**
	 * Reads a mark: a field in the hash with the epochs of queues. Returns an empty text
	 * if the mark is not set.
	 */
	String mark(String field) {
		byte[] key = this.calls.key(ANY, Key.EPOCHS);
		byte @Nullable [] mark = this.calls.command(ANY, Key.EPOCHS,
				(connection) -> connection.hashCommands().hGet(key, Reply.bytes(field)));
		return (mark != null) ? Reply.text(mark) : "";
	}

	/**
	 * Writes a mark in the hash with the epochs, and raises the version of this hash,
	 * unless Redis has another mark than the caller expects.
	 */
	boolean change(String field, String from, String to) {
		return this.calls.run(StoreScript.CHANGE_EPOCHS, ANY, field, from, to).is("changed");
	}

	/**
	 * Reads the newer epochs that a closed partition stores in its key {@code control}.
	 * If a partition of the newest of these epochs is closed too, also reads the epochs
	 * that this partition stores, and so on. The queue need not be registered.
	 * @param read the epochs that the caller has read
	 * @return the epochs, the oldest epoch first; empty if the partition is open, or if
	 * the caller has read an epoch that is newer than that of the partition
	 */
	List<Epoch> namedBy(Epochs read, Partition partition) {
		List<Epoch> named = new ArrayList<>();
		if (read.current().number() > partition.epoch()) {
			return named;
		}
		Partition last = partition;
		byte @Nullable [] closed = control(last, "closed");
		while (closed != null) {
			Epochs newer = parse(partition.queue(), closed);
			named.addAll(newer.epochs());
			boolean isNewer = newer.newest().number() > last.epoch();
			last = new Partition(partition.queue(), newer.newest().number(), 0);
			closed = isNewer ? control(last, "closed") : null;
		}
		return named;
	}

	private byte @Nullable [] control(Partition partition, String field) {
		byte[] control = this.calls.key(partition, Key.CONTROL);
		return this.calls.command(partition, Key.CONTROL,
				(connection) -> connection.hashCommands().hGet(control, Reply.bytes(field)));
	}

	private Epochs first(String queue, byte[] count) {
		String text = Reply.text(count);
		if (isCount(text)) {
			return Epochs.first(queue, Integer.parseInt(text));
		}
		throw new StoreException(FailureKind.REFUSED,
				invalid(queue, text) + "; remove the field with HDEL, and the queue is registered again", null);
	}

	private String invalid(String queue, String count) {
		return "Key '" + this.calls.keySpace().queues() + "' has an invalid partition count for queue '" + queue
				+ "': '" + ((count.length() > SHOWN) ? count.substring(0, SHOWN) + "..." : count)
				+ "'; the library does not write such a value";
	}

	/**
	 * Describes why the stored partition count of a queue is invalid; returns an empty
	 * value if the count is valid.
	 */
	Optional<String> invalidCount(String queue) {
		return Optional.ofNullable(count(queue))
			.map(Reply::text)
			.filter((count) -> !isCount(count) && changed(queue).isEmpty())
			.map((count) -> invalid(queue, count));
	}

	private static boolean isCount(String text) {
		return COUNT.matcher(text).matches() && QueueSettings.PARTITIONS.contains(Integer.valueOf(text));
	}

	/**
	 * Reads the epochs of a queue from the text that Redis stores.
	 * @throws StoreException if the text has another form
	 */
	static Epochs parse(String queue, byte[] text) {
		try {
			return Epochs.from(queue, Reply.text(text));
		}
		catch (IllegalArgumentException unknown) {
			throw new StoreException(FailureKind.REFUSED, "The epochs of queue '" + queue
					+ "' have a form that this version cannot read: a newer version or another program wrote them",
					unknown);
		}
	}

	private byte @Nullable [] count(String queue) {
		return this.calls.command((connection) -> connection.hashCommands().hGet(queues(), Reply.bytes(queue)));
	}

	private byte[] queues() {
		return Reply.bytes(this.calls.keySpace().queues());
	}

}
