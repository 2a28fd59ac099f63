package io.delayqueue.store;

import java.net.URI;
import java.time.Duration;
import java.util.function.Consumer;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;

import org.springframework.data.redis.core.RedisCallback;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A store over one driver that is about to fail.
 */
final class Failing implements AutoCloseable {

	/** The timeout of the drivers; a test only waits for it if no server answers. */
	static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final Partition PARTITION = new Partition("orders", 0);

	private static final KeySpace KEYS = new KeySpace("test");

	private final Connected connected;

	private final TestStore store;

	private Failing(Connected connected) {
		this.connected = connected;
		this.store = new TestStore(connected.template(), KEYS, PARTITION);
	}

	static Failing over(Driver driver, RedisServer redis) {
		return over(driver, redis.uri());
	}

	static Failing over(Driver driver, URI uri) {
		return over(driver, uri, 2);
	}

	static Failing over(Driver driver, URI uri, int connections) {
		return new Failing(Connected.over(driver, uri, TIMEOUT, connections));
	}

	TestStore store() {
		return this.store;
	}

	/** Tries to schedule message {@code a}. */
	StoreException schedule() {
		return failure((store) -> store.schedule("a", DUE, 1));
	}

	StoreException command(RedisCallback<?> command) {
		return failure((store) -> store.calls().command(command));
	}

	StoreException failure(Consumer<TestStore> call) {
		return catchThrowableOfType(StoreException.class, () -> call.accept(this.store));
	}

	/** Opens a connection and loads the script, as earlier calls would have done. */
	Failing connect() {
		Awaitility.await()
			.ignoreExceptionsInstanceOf(StoreException.class)
			.until(() -> this.store.schedule("earlier", States.FAR, 2).dueMillis() > 0);
		return this;
	}

	static String key(Key key) {
		return KEYS.name(PARTITION, key);
	}

	/** Whether message {@code a} is stored. */
	static boolean isStored(RedisServer redis) {
		return Long.valueOf(1).equals(redis.call("HEXISTS", key(Key.MESSAGES), "a"));
	}

	@Override
	public void close() {
		this.connected.close();
	}

}
