package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.delayqueue.queue.Partition;
import io.delayqueue.queue.ProcessName;
import io.delayqueue.redis.DriverSettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.context.Lifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The only class through which this library calls Redis: runs scripts and commands, and
 * classifies failures. Safe for use by several threads.
 */
public final class RedisCalls {

	private final RedisTemplate<String, byte[]> template;

	private final KeySpace keySpace;

	private final boolean driverRepeats;

	private final @Nullable Masters masters;

	private final Layouts layouts = new Layouts();

	private final String process = ProcessName.next();

	/**
	 * Creates the access to Redis.
	 * @param template the template, which must have text keys and raw values
	 * @param keySpace the names of this library's keys
	 */
	public RedisCalls(RedisTemplate<String, byte[]> template, KeySpace keySpace) {
		this.template = template;
		this.keySpace = keySpace;
		RedisConnectionFactory connections = template.getConnectionFactory();
		DriverSettings driver = (connections != null) ? DriverSettings.of(connections) : null;
		this.driverRepeats = driver != null && driver.repeats();
		this.masters = (driver != null && driver.cluster()) ? new Masters(this) : null;
	}

	/**
	 * {@return the names of this library's keys in Redis}
	 */
	public KeySpace keySpace() {
		return this.keySpace;
	}

	/**
	 * {@return the name that this process has in the history and in the list of members}
	 */
	public String process() {
		return this.process;
	}

	byte[] key(Partition partition, Key key) {
		return Reply.bytes(this.keySpace.name(partition, key));
	}

	/**
	 * Sends a PING. An error from Redis (a missing right, for instance) also counts as an
	 * answer, because other calls report its cause.
	 * @return {@code false} if Redis does not answer
	 */
	public boolean answers() {
		try {
			command((connection) -> connection.ping());
			return true;
		}
		catch (StoreException failure) {
			return failure.kind() == FailureKind.REFUSED;
		}
	}

	/**
	 * Whether this process skips a partition, because the last script that checked its
	 * keys found that another version of the library has laid them out.
	 */
	boolean isLayoutForeign(Partition partition) {
		return this.layouts.isForeign(partition);
	}

	/**
	 * Returns the partitions that this process skips because another version of the
	 * library has laid out their keys.
	 * @return partition -> the error text of the script that refused it
	 */
	public Map<Partition, String> foreignLayouts() {
		return this.layouts.foreign();
	}

	/**
	 * Whether Redis is or may be a cluster, so that partitions may be on several servers.
	 */
	boolean isCluster() {
		return this.masters != null;
	}

	/**
	 * Returns the server that has a partition, so that a caller can keep calls to one
	 * server apart from calls to another, which may hang. Does not call Redis.
	 * @param partition the partition
	 * @return the id of the partition's master, as last read from the cluster; empty if
	 * Redis is not a cluster, or while its masters are not known
	 */
	public String server(Partition partition) {
		return (this.masters != null) ? this.masters.of(slot(partition)) : "";
	}

	/** Returns the cluster slot of a partition. */
	int slot(Partition partition) {
		return ClusterSlotHashUtil.calculateSlot(key(partition, Key.SCHEDULED));
	}

	/** Whether the driver is Lettuce. */
	boolean isOverLettuce() {
		return this.template.getRequiredConnectionFactory() instanceof LettuceConnectionFactory;
	}

	/** Opens a connection to Redis, which the caller must close. */
	RedisConnection connection() {
		return this.template.getRequiredConnectionFactory().getConnection();
	}

	/**
	 * Runs a script on the keys of a partition.
	 * @param script the script
	 * @param partition the partition
	 * @param arguments the script arguments. Redis gets {@code null} as empty text, a
	 * duration in ms, {@code true} as 1, the elements of a list one by one, bytes
	 * unchanged, a {@link StoredId} as Redis stores it, and any other object as its text
	 */
	Reply run(StoreScript script, Partition partition, @Nullable Object... arguments) {
		try {
			Reply reply = execute(script, keys(script, partition), arguments);
			if (script.checksLayout()) {
				this.layouts.accepted(partition);
			}
			return reply;
		}
		catch (StoreException failure) {
			if (failure.isLayoutForeign()) {
				this.layouts.refused(partition, String.valueOf(failure.getMessage()));
			}
			throw diagnosed(script, partition, failure);
		}
	}

	/**
	 * Divides partitions into groups on one server, whose keys one script can read.
	 * @param partitions the partitions. A partition may have moved to another server
	 * since: a script that reads its keys then fails
	 * @param most the most partitions of a group
	 * @return the groups; groups of one partition if the masters of a cluster are not
	 * known
	 */
	List<List<Partition>> together(Collection<Partition> partitions, int most) {
		List<List<Partition>> groups = new ArrayList<>();
		partitions.stream()
			.collect(Collectors.groupingBy(this::server, LinkedHashMap::new, Collectors.toList()))
			.forEach((server, all) -> {
				int size = (isCluster() && server.isEmpty()) ? 1 : most;
				for (int from = 0; from < all.size(); from += size) {
					groups.add(all.subList(from, Math.min(all.size(), from + size)));
				}
			});
		return groups;
	}

	/**
	 * Runs a script on the keys of many partitions at once.
	 * @param script a script that only reads, and takes the keys of further partitions as
	 * arguments
	 * @param partitions 1 or more partitions on one server
	 */
	Reply run(StoreScript script, List<Partition> partitions) {
		try {
			return execute(script, keys(script, partitions.get(0)), new Object[] {
					partitions.stream().skip(1).flatMap((partition) -> keys(script, partition).stream()).toList() });
		}
		catch (StoreException failure) {
			throw diagnosed(script, partitions.get(0), failure);
		}
	}

	/**
	 * Publishes a hint. In a cluster the server of the hint's partition, or of the list
	 * of members, publishes the hint: another server might hang.
	 */
	void publish(Hint hint, byte[] channel, byte[] text) {
		if (!isCluster()) {
			command((connection) -> connection.publish(channel, text));
			return;
		}
		Partition partition = hint.partition();
		String key = (partition != null) ? this.keySpace.name(partition, Key.CONTROL)
				: this.keySpace.name(Members.ANY, Key.MEMBERS);
		execute(StoreScript.SEND_HINT, List.of(key), new Object[] { channel, text });
	}

	private Reply execute(StoreScript script, List<String> keys, @Nullable Object[] arguments) {
		Object[] bytes = Arrays.stream(arguments)
			.flatMap((argument) -> (argument instanceof List<?> list) ? list.stream() : Stream.of(argument))
			.map(RedisCalls::bytes)
			.toArray();
		List<?> reply = call(
				() -> this.template.execute(script.script(), RedisSerializer.byteArray(), rawList(), keys, bytes));
		if (reply == null) {
			throw new IllegalStateException(script + " answered nothing, which indicates a bug");
		}
		return new Reply(script, reply);
	}

	private static byte[] bytes(@Nullable Object argument) {
		if (argument instanceof byte[] bytes) {
			return bytes;
		}
		if (argument instanceof StoredId id) {
			return id.toBytes();
		}
		if (argument instanceof Duration duration) {
			return Reply.bytes(duration.toMillis());
		}
		if (argument instanceof Boolean flag) {
			return Reply.bytes(flag ? 1 : 0);
		}
		return Reply.bytes((argument != null) ? argument.toString() : "");
	}

	/** Runs a Redis command on one key of a partition. */
	<T> T command(Partition partition, Key key, RedisCallback<T> command) {
		try {
			return command(command);
		}
		catch (StoreException failure) {
			throw diagnosed("a command on " + key.suffix(), List.of(key), partition, failure);
		}
	}

	/**
	 * Runs a Redis command.
	 * @param command the command
	 * @param <T> the type of its reply
	 * @return the reply
	 * @throws StoreException if Redis does not answer, or refuses the command
	 */
	public <T> T command(RedisCallback<T> command) {
		return call(() -> this.template.execute(command));
	}

	/**
	 * Runs a call without the connection that the application may have bound to the
	 * thread. A bound connection may be in a transaction or a pipeline, in which Redis
	 * would answer later or not at all.
	 */
	private <T> T call(Supplier<T> call) {
		RedisConnectionFactory connections = this.template.getRequiredConnectionFactory();
		Object bound = TransactionSynchronizationManager.unbindResourceIfPossible(connections);
		try {
			return call.get();
		}
		catch (DataAccessException failure) {
			throw StoreException.of(failure, this.driverRepeats);
		}
		catch (IllegalStateException failure) {
			if (failure.getClass() == IllegalStateException.class && isClosed(connections)) {
				throw StoreException.closed(failure);
			}
			throw failure;
		}
		finally {
			if (bound != null) {
				TransactionSynchronizationManager.bindResource(connections, bound);
			}
		}
	}

	private static boolean isClosed(RedisConnectionFactory connections) {
		return connections instanceof Lifecycle lifecycle && !lifecycle.isRunning();
	}

	private StoreException diagnosed(StoreScript script, Partition partition, StoreException failure) {
		// The diagnosis of a failure runs the script RIGHTS, so a failure of this script
		// is not diagnosed
		return (script == StoreScript.RIGHTS) ? failure
				: diagnosed(script.fileName(), script.keys(), partition, failure);
	}

	private StoreException diagnosed(String what, List<Key> keys, Partition partition, StoreException failure) {
		return (failure.kind() == FailureKind.REFUSED)
				? failure.describedAs(Diagnosis.of(this, what, keys, partition, failure)) : failure;
	}

	private List<String> keys(StoreScript script, Partition partition) {
		return this.keySpace.names(partition, script.keys());
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static RedisSerializer<List> rawList() {
		return (RedisSerializer) RedisSerializer.byteArray();
	}

}
