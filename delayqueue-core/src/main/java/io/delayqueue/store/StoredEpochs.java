package io.delayqueue.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.RedisCallback;

/**
 * Reads and writes the epochs of queues in Redis: the partition count of each queue's
 * first epoch, and all epochs of queues whose count has changed. Keeps no copy of the
 * epochs. The methods throw {@link StoreException}.
 */
final class StoredEpochs {

	private static final Pattern COUNT = Pattern.compile("\\d{1,4}");

	/** The most queues that one call registers. */
	static final int MOST = 500;

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
	 * What the first partition of a queue stores about the epochs of the queue.
	 *
	 * @param partitions the partition count of its epoch, empty if it is unused
	 * @param closed the newer epochs for which it is closed, empty if it is open
	 */
	record FirstPartition(String partitions, String closed) {
	}

	/**
	 * Reads what the first partition of each queue stores, in the order of the queues.
	 * Makes one call for up to {@value #MOST} queues on one server.
	 */
	List<FirstPartition> firstPartitions(List<QueueSettings> all) {
		List<Partition> partitions = all.stream().map((settings) -> new Partition(settings.name(), 0)).toList();
		Map<Partition, FirstPartition> found = new HashMap<>();
		for (List<Partition> some : this.calls.together(partitions, MOST)) {
			Reply reply = this.calls.run(StoreScript.FIND_EPOCHS, some);
			for (int i = 0; i < some.size(); i++) {
				found.put(some.get(i), new FirstPartition(reply.text(2 * i + 1), reply.text(2 * i + 2)));
			}
		}
		return partitions.stream().map((partition) -> Objects.requireNonNull(found.get(partition))).toList();
	}

	/**
	 * Reads the epochs of queues from Redis, with at most three calls for all of them. A
	 * queue that is not registered is registered: with the partition count that its first
	 * partition stores, if only the registration was lost, otherwise with the count of
	 * the settings.
	 * @param all 1 to {@value #MOST} queues
	 * @param firstPartitions what the first partition of each queue stores
	 * @return the epochs of each queue
	 */
	List<Epochs> register(List<QueueSettings> all, List<FirstPartition> firstPartitions) {
		byte[][] names = all.stream().map((settings) -> Reply.bytes(settings.name())).toArray(byte[][]::new);
		List<byte @Nullable []> counts = new ArrayList<>(
				values((connection) -> connection.hashCommands().hMGet(queues(), names)));
		List<Integer> absent = IntStream.range(0, names.length).filter((i) -> counts.get(i) == null).boxed().toList();
		if (!absent.isEmpty()) {
			// Write only if no count is stored: a Redis that is out of memory refuses to
			// register a queue even if it is registered
			Reply reply = this.calls.run(StoreScript.REGISTER, ANY,
					absent.stream()
						.<Object>flatMap((i) -> Stream.of(names[i], firstCount(all.get(i), firstPartitions.get(i))))
						.toList());
			for (int n = 0; n < absent.size(); n++) {
				counts.set(absent.get(n), reply.raw(n + 1));
			}
		}
		byte[] epochs = this.calls.key(ANY, Key.EPOCHS);
		List<byte @Nullable []> changed = values((connection) -> connection.hashCommands().hMGet(epochs, names));
		return IntStream.range(0, names.length)
			.mapToObj((i) -> epochs(all.get(i).name(), counts.get(i), changed.get(i)))
			.toList();
	}

	private List<byte @Nullable []> values(RedisCallback<List<byte @Nullable []>> command) {
		return Objects.requireNonNull(this.calls.command(command));
	}

	private Epochs epochs(String queue, byte @Nullable [] count, byte @Nullable [] changed) {
		return (changed != null) ? parse(queue, changed) : first(queue, Objects.requireNonNull(count));
	}

	private static String firstCount(QueueSettings settings, FirstPartition first) {
		return first.partitions().isEmpty() ? String.valueOf(settings.partitions()) : first.partitions();
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
	 * Returns the version of the epochs of all queues, as the script that refreshes a
	 * membership does.
	 * @param changed what {@link #changed()} has read
	 */
	static long version(Map<String, byte[]> changed) {
		byte @Nullable [] version = changed.get("");
		return (version != null) ? Long.parseLong(Reply.text(version)) : changed.size();
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
		return (read.current().number() > partition.epoch()) ? List.of() : named(partition, closed(partition));
	}

	/**
	 * Reads newer epochs like {@link #namedBy(Epochs, Partition)}, beginning with what
	 * the first partition of the queue stores.
	 */
	List<Epoch> namedBy(Epochs read, FirstPartition first) {
		return (read.current().number() > 0 || first.closed().isEmpty()) ? List.of()
				: named(new Partition(read.queue(), 0), Reply.bytes(first.closed()));
	}

	private List<Epoch> named(Partition partition, byte @Nullable [] stored) {
		List<Epoch> named = new ArrayList<>();
		Partition last = partition;
		byte @Nullable [] closed = stored;
		while (closed != null) {
			Epochs newer = parse(partition.queue(), closed);
			named.addAll(newer.epochs());
			boolean isNewer = newer.newest().number() > last.epoch();
			last = new Partition(partition.queue(), newer.newest().number(), 0);
			closed = isNewer ? closed(last) : null;
		}
		return named;
	}

	private byte @Nullable [] closed(Partition partition) {
		byte[] control = this.calls.key(partition, Key.CONTROL);
		return this.calls.command(partition, Key.CONTROL,
				(connection) -> connection.hashCommands().hGet(control, Reply.bytes("closed")));
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
