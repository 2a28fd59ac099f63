package io.delayqueue.store;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.springframework.context.Lifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The only access to Redis: runs scripts and commands, and classifies failures. Safe for
 * use by several threads.
 */
public final class RedisCalls {

	private final RedisTemplate<String, byte[]> template;

	private final KeySpace keySpace;

	private final boolean driverRepeats;

	private final Map<Partition, Map<StoreScript, List<String>>> keysOf = new ConcurrentHashMap<>();

	private final Layouts layouts = new Layouts();

	/**
	 * Creates the calls.
	 * @param template a template for text keys and raw values
	 * @param keySpace the names of this library's keys
	 */
	public RedisCalls(RedisTemplate<String, byte[]> template, KeySpace keySpace) {
		this.template = template;
		this.keySpace = keySpace;
		RedisConnectionFactory connections = template.getConnectionFactory();
		this.driverRepeats = connections != null && DriverSettings.of(connections).repeats();
	}

	KeySpace keySpace() {
		return this.keySpace;
	}

	byte[] key(Partition partition, Key key) {
		return Reply.bytes(this.keySpace.name(partition, key));
	}

	/**
	 * Whether Redis answers, even if with a refusal: other calls report its cause.
	 * @return {@code false} if it does not
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
	 * Whether this process skips a partition, because the last script that checked found
	 * the layout of another version of the library.
	 */
	boolean isLayoutForeign(Partition partition) {
		return this.layouts.isForeign(partition);
	}

	/**
	 * The partitions that are skipped because of their layout.
	 * @return the refusal of each of them
	 */
	public Map<Partition, String> foreignLayouts() {
		return this.layouts.foreign();
	}

	/** Whether all partitions are on one server. */
	boolean isOneServer() {
		return !DriverSettings.of(this.template.getRequiredConnectionFactory()).cluster();
	}

	/** Whether each connection is the caller's own until it is closed. */
	boolean isOverLettuce() {
		return DriverSettings.isLettuce(this.template.getRequiredConnectionFactory());
	}

	/** A connection to be held and closed by the caller. */
	RedisConnection connection() {
		return this.template.getRequiredConnectionFactory().getConnection();
	}

	Reply run(StoreScript script, Partition partition, byte[]... arguments) {
		try {
			Reply reply = execute(script, keys(script, partition), arguments);
			if (script.checksLayout()) {
				this.layouts.accepted(partition);
			}
			return reply;
		}
		catch (DataAccessException failure) {
			if (Layouts.CODE.equals(FailureKind.code(failure))) {
				this.layouts.refused(partition, Diagnosis.errorText(failure));
			}
			throw translate(script, partition, failure);
		}
	}

	/**
	 * Runs a script on many partitions at once.
	 * @param script a script that only reads, and takes the keys of any number of
	 * partitions
	 * @param partitions 1 or more that share a server
	 * @param arguments the arguments
	 */
	Reply run(StoreScript script, List<Partition> partitions, byte[]... arguments) {
		try {
			return execute(script,
					partitions.stream().flatMap((partition) -> keys(script, partition).stream()).toList(), arguments);
		}
		catch (DataAccessException failure) {
			throw translate(script, partitions.get(0), failure);
		}
	}

	private Reply execute(StoreScript script, List<String> keys, byte[]... arguments) {
		List<?> reply = unbound(() -> this.template.execute(script.script(), RedisSerializer.byteArray(), rawList(),
				keys, (Object[]) arguments));
		if (reply == null) {
			throw new IllegalStateException(script + " answered nothing, which indicates a bug");
		}
		return new Reply(script, reply);
	}

	/**
	 * Runs a call outside of a connection that the application has bound to the thread:
	 * that may be in a transaction or a pipeline, and then Redis would answer later or
	 * not at all.
	 */
	private <T> T unbound(Supplier<T> call) {
		RedisConnectionFactory connections = this.template.getRequiredConnectionFactory();
		Object bound = TransactionSynchronizationManager.unbindResourceIfPossible(connections);
		try {
			return call.get();
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

	private StoreException translate(StoreScript script, Partition partition, DataAccessException failure) {
		return translate(failure, kindOf(failure),
				() -> (script != StoreScript.RIGHTS)
						? Diagnosis.of(this, script.fileName(), script.keys(), partition, failure)
						: Diagnosis.errorText(failure));
	}

	/** A command about one of a partition's keys. */
	<T> T command(Partition partition, Key key, RedisCallback<T> command) {
		try {
			return unbound(() -> this.template.execute(command));
		}
		catch (DataAccessException failure) {
			throw translate(failure, FailureKind.of(failure),
					() -> Diagnosis.of(this, "a command on " + key.suffix(), List.of(key), partition, failure));
		}
	}

	<T> T command(RedisCallback<T> command) {
		try {
			return unbound(() -> this.template.execute(command));
		}
		catch (DataAccessException failure) {
			throw translate(failure, FailureKind.of(failure), () -> Diagnosis.errorText(failure));
		}
	}

	/**
	 * The reply to a try reports nothing about an earlier try of the same call that the
	 * driver made.
	 */
	private FailureKind kindOf(DataAccessException failure) {
		FailureKind kind = FailureKind.of(failure);
		boolean answered = FailureKind.code(failure) != null;
		return (this.driverRepeats && answered && kind == FailureKind.NOT_EXECUTED) ? FailureKind.UNKNOWN : kind;
	}

	private static StoreException translate(DataAccessException failure, FailureKind kind, Supplier<String> refused) {
		String message = (kind == FailureKind.REFUSED) ? refused.get() : Diagnosis.errorText(failure);
		return new StoreException(kind, message, failure);
	}

	private List<String> keys(StoreScript script, Partition partition) {
		return Objects.requireNonNull(this.keysOf.computeIfAbsent(partition, this::keys).get(script));
	}

	private Map<StoreScript, List<String>> keys(Partition partition) {
		Map<StoreScript, List<String>> keys = new EnumMap<>(StoreScript.class);
		for (StoreScript script : StoreScript.values()) {
			keys.put(script, script.keys().stream().map((key) -> this.keySpace.name(partition, key)).toList());
		}
		return keys;
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static RedisSerializer<List> rawList() {
		return (RedisSerializer) RedisSerializer.byteArray();
	}

}
