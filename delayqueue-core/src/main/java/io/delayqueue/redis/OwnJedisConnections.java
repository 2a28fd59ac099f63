package io.delayqueue.redis;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.Pool;

import org.springframework.context.Lifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Provides connections from a Jedis pool that belongs to this library, so that the
 * application and this library cannot exhaust each other's pool. The wait for a
 * connection is limited.
 *
 * <p>
 * The pool opens when this object starts, or earlier at the first request for a
 * connection. A pool for sentinels or a cluster connects when it opens. Spring's
 * connection factory is unusable after it has failed to connect, so each try to open the
 * pool creates a new factory. A thread that needs a connection while another thread opens
 * the pool waits at most 1 second.
 */
final class OwnJedisConnections implements RedisConnectionFactory, Lifecycle {

	static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	private final Supplier<OwnJedisPool> pools;

	/** A pool that only provides settings and never connects. */
	private final OwnJedisPool settings;

	private final AtomicReference<@Nullable CompletableFuture<OwnJedisPool>> current = new AtomicReference<>();

	private volatile boolean stopped;

	/**
	 * Creates connections with the settings of the application's connections.
	 * @param theirs the application's connections
	 * @param longestSilence the longest wait of a subscription for its next message
	 */
	OwnJedisConnections(JedisConnectionFactory theirs, Duration longestSilence) {
		this.pools = () -> OwnJedisPool.besides(theirs, longestSilence);
		this.settings = this.pools.get();
	}

	/**
	 * Returns the connection of a failed subscription to its pool, without UNSUBSCRIBE.
	 */
	static void giveBackUnsubscribed(RedisConnection connection) {
		// In Spring Data Redis 4.0 a RedisConnection keeps a connection of the pool; in
		// later versions each call takes a connection from the pool and returns it
		if (connection.getNativeConnection() instanceof Jedis held) {
			held.close();
		}
	}

	JedisConnectionFactory settings() {
		return this.settings;
	}

	/**
	 * Closes the idle connections of the pool. A connection in use stays open, and the
	 * thread that uses it also receives the server's error.
	 */
	void clear() {
		if (isRunning()) {
			pool(LONGEST_WAIT).clear();
		}
	}

	@Override
	public void start() {
		this.stopped = false;
		pool(ChronoUnit.FOREVER.getDuration());
	}

	@Override
	public void stop() {
		this.stopped = true;
		CompletionStage<OwnJedisPool> last = this.current.getAndSet(null);
		if (last != null) {
			last.thenAccept(OwnJedisPool::destroy);
		}
	}

	@Override
	public boolean isRunning() {
		CompletableFuture<OwnJedisPool> pool = this.current.get();
		return pool != null && pool.isDone() && !pool.isCompletedExceptionally();
	}

	private OwnJedisPool pool(Duration longestWait) {
		CompletableFuture<OwnJedisPool> pool = this.current.get();
		try {
			return ((pool != null) ? pool : open()).get(TimeUnit.NANOSECONDS.convert(longestWait),
					TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException failure) {
			if (failure.getCause() instanceof IllegalStateException closed) {
				throw closed;
			}
			throw new RedisConnectionFailureException("Cannot get Jedis connection: " + failure.getMessage(),
					failure.getCause());
		}
		catch (TimeoutException late) {
			throw exhausted();
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			throw exhausted();
		}
	}

	private static RedisConnectionFailureException exhausted() {
		String why = "Pool exhausted: another thread is still opening it";
		return new RedisConnectionFailureException("Cannot get Jedis connection: " + why,
				new NoSuchElementException(why));
	}

	private CompletableFuture<OwnJedisPool> open() {
		CompletableFuture<OwnJedisPool> own = new CompletableFuture<>();
		CompletableFuture<OwnJedisPool> other = this.current.compareAndExchange(null, own);
		if (other != null) {
			return other;
		}
		try {
			// The pool is registered now, so a later call of stop closes the pool
			if (this.stopped) {
				throw new IllegalStateException("The connections have been stopped");
			}
			OwnJedisPool pool = this.pools.get();
			pool.afterPropertiesSet();
			own.complete(pool);
		}
		catch (RuntimeException | Error failure) {
			this.current.compareAndSet(own, null);
			own.completeExceptionally(failure);
		}
		return own;
	}

	@Override
	public RedisConnection getConnection() {
		return pool(LONGEST_WAIT).getConnection();
	}

	@Override
	public RedisClusterConnection getClusterConnection() {
		return pool(LONGEST_WAIT).getClusterConnection();
	}

	@Override
	public RedisSentinelConnection getSentinelConnection() {
		return pool(LONGEST_WAIT).getSentinelConnection();
	}

	@Override
	public boolean getConvertPipelineAndTxResults() {
		return this.settings.getConvertPipelineAndTxResults();
	}

	@Override
	public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException failure) {
		return this.settings.translateExceptionIfPossible(failure);
	}

}
