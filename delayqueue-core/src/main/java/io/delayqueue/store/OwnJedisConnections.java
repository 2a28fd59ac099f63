package io.delayqueue.store;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.builders.ClusterClientBuilder;
import redis.clients.jedis.util.Pool;

import org.springframework.context.Lifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A Jedis pool of this library's own: waiting for a connection is bounded, and neither
 * the application nor this library can take all connections from the other.
 */
final class OwnJedisConnections extends OwnConnections {

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	/**
	 * A cluster driver would retry for five times the timeout, sleep most of it, and so
	 * find a new master late. This library repeats calls itself.
	 */
	private static final Duration LONGEST_REPEATING = Duration.ofSeconds(1);

	private final OnDemand jedis;

	private OwnJedisConnections(OnDemand jedis) {
		super(jedis);
		this.jedis = jedis;
	}

	static @Nullable OwnConnections besides(RedisConnectionFactory connections, Duration longestSilence) {
		if (connections.getClass() != JedisConnectionFactory.class) {
			return null;
		}
		JedisConnectionFactory theirs = (JedisConnectionFactory) connections;
		Supplier<OwnPool> client = () -> new OwnPool(theirs.getClientConfiguration(), longestSilence,
				new AtomicBoolean());
		RedisClusterConfiguration cluster = theirs.getClusterConfiguration();
		RedisSentinelConfiguration sentinel = theirs.getSentinelConfiguration();
		RedisStandaloneConfiguration server = theirs.getStandaloneConfiguration();
		Supplier<Pooled> pools;
		if (cluster != null) {
			pools = () -> new Pooled(cluster, client.get());
		}
		else if (sentinel != null) {
			pools = () -> new Pooled(sentinel, client.get());
		}
		else if (server != null) {
			pools = () -> new Pooled(server, client.get());
		}
		else {
			return null;
		}
		return new OwnJedisConnections(new OnDemand(pools));
	}

	/**
	 * Returns a connection to its pool, if the driver has not done so already.
	 * @return {@code false} if it is not a Jedis connection
	 */
	static boolean giveBackUnsubscribed(RedisConnection connection) {
		Object driver = connection.getNativeConnection();
		// As in Spring Data Redis 4.0; later versions take a connection for each call
		if (driver instanceof Jedis held) {
			held.close();
		}
		return driver instanceof Jedis || driver instanceof UnifiedJedis;
	}

	/** Connections in use have got the error already, or will get it. */
	@Override
	void dropConnections() {
		this.jedis.clear();
	}

	@Override
	void start() {
		this.jedis.start();
	}

	@Override
	void stop() {
		this.jedis.stop();
	}

	@Override
	boolean isRunning() {
		return this.jedis.isRunning();
	}

	@Override
	void destroy() {
		this.jedis.stop();
	}

	/**
	 * Opens the pool at the start, or earlier when a connection is requested. A pool for
	 * sentinels or a cluster connects when it is opened. A pool that failed to connect is
	 * unusable, so each try creates a new one. Other threads wait for a running try no
	 * longer than they would for a connection.
	 */
	static final class OnDemand implements RedisConnectionFactory, Lifecycle {

		private final Supplier<Pooled> pools;

		/** Holds the settings of the pools; never opened itself. */
		private final Pooled settings;

		private final AtomicReference<@Nullable CompletableFuture<Pooled>> current = new AtomicReference<>();

		private volatile boolean stopped;

		private OnDemand(Supplier<Pooled> pools) {
			this.pools = pools;
			this.settings = pools.get();
		}

		JedisConnectionFactory settings() {
			return this.settings;
		}

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
			CompletionStage<Pooled> last = this.current.getAndSet(null);
			if (last != null) {
				last.thenAccept(Pooled::destroy);
			}
		}

		@Override
		public boolean isRunning() {
			CompletableFuture<Pooled> pool = this.current.get();
			return pool != null && pool.isDone() && !pool.isCompletedExceptionally();
		}

		private Pooled pool(Duration longestWait) {
			CompletableFuture<Pooled> pool = this.current.get();
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

		private CompletableFuture<Pooled> open() {
			CompletableFuture<Pooled> own = new CompletableFuture<>();
			CompletableFuture<Pooled> other = this.current.compareAndExchange(null, own);
			if (other != null) {
				return other;
			}
			try {
				// From here on a stop closes it
				if (this.stopped) {
					throw new IllegalStateException("The connections have been stopped");
				}
				Pooled pool = this.pools.get();
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

	/**
	 * Can drop the idle connections to a single server. With sentinels the driver creates
	 * a new pool when they name another master, and the sentinels close the connections
	 * to the old one.
	 */
	private static final class Pooled extends JedisConnectionFactory {

		private final OwnPool client;

		private volatile @Nullable Pool<?> pool;

		Pooled(RedisClusterConfiguration cluster, OwnPool client) {
			super(cluster, client);
			this.client = client;
		}

		Pooled(RedisSentinelConfiguration sentinel, OwnPool client) {
			super(sentinel, client);
			this.client = client;
		}

		Pooled(RedisStandaloneConfiguration server, OwnPool client) {
			super(server, client);
			this.client = client;
		}

		@Override
		protected RedisSentinelClient createRedisSentinelClient(RedisSentinelConfiguration sentinels) {
			this.client.asksSentinels().set(true);
			return super.createRedisSentinelClient(sentinels);
		}

		/** Called by Spring Data Redis 4.0 instead. */
		@Override
		@SuppressWarnings("deprecation")
		protected Pool<Jedis> createRedisSentinelPool(RedisSentinelConfiguration sentinels) {
			this.client.asksSentinels().set(true);
			return super.createRedisSentinelPool(sentinels);
		}

		@Override
		protected RedisClient createRedisClient(RedisStandaloneConfiguration server) {
			RedisClient created = super.createRedisClient(server);
			this.pool = created.getPool();
			return created;
		}

		/** Called by Spring Data Redis 4.0 instead. */
		@Override
		@SuppressWarnings("deprecation")
		protected Pool<Jedis> createRedisPool() {
			Pool<Jedis> created = super.createRedisPool();
			this.pool = created;
			return created;
		}

		@Override
		public RedisConnection getConnection() {
			RedisConnection connection = super.getConnection();
			return (connection.getNativeConnection() instanceof UnifiedJedis client
					&& connection instanceof JedisConnection) ? new PerCommandJedisConnection(client) : connection;
		}

		void clear() {
			Pool<?> current = this.pool;
			if (current != null) {
				current.clear();
			}
		}

	}

	/**
	 * Takes a pooled connection for each command outside of pipelines and transactions,
	 * so that closing has nothing to return. Spring's implementation checks for a
	 * transaction each time, and creates and drops an exception with a stack trace for
	 * it.
	 */
	private static final class PerCommandJedisConnection extends JedisConnection {

		private boolean closed;

		PerCommandJedisConnection(UnifiedJedis client) {
			super(client);
		}

		@Override
		protected void doClose() {
			this.closed = true;
			// A transaction begins with WATCH and holds a connection
			if (isPipelined() || getTransaction() != null) {
				super.doClose();
			}
		}

		@Override
		public boolean isClosed() {
			return this.closed;
		}

	}

	/**
	 * The application's client settings with a pool of this library's own and a read
	 * timeout for subscriptions, which have none by default.
	 *
	 * @param theirs the application's settings
	 * @param longestSilence for how long a subscription waits
	 * @param asksSentinels whether the next configured connections lead to sentinels,
	 * where the driver itself subscribes
	 */
	private record OwnPool(JedisClientConfiguration theirs, Duration longestSilence,
			AtomicBoolean asksSentinels) implements JedisClientConfiguration {

		@Override
		public Optional<GenericObjectPoolConfig<?>> getPoolConfig() {
			ConnectionPoolConfig pool = new ConnectionPoolConfig();
			pool.setMaxTotal(DriverSettings.ENOUGH_CONNECTIONS);
			pool.setMaxIdle(DriverSettings.ENOUGH_CONNECTIONS);
			pool.setMinIdle(0);
			pool.setMaxWait(LONGEST_WAIT);
			return Optional.of(pool);
		}

		@Override
		public boolean isUsePooling() {
			return true;
		}

		/** Called by Spring Data Redis 4.0 instead of the next method. */
		@Override
		@SuppressWarnings("deprecation")
		public Optional<JedisClientConfigBuilderCustomizer> getCustomizer() {
			return withLongestSilence(this.theirs.getCustomizer());
		}

		@Override
		public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
			return withLongestSilence(this.theirs.getClientConfigCustomizer());
		}

		private Optional<JedisClientConfigBuilderCustomizer> withLongestSilence(
				Optional<JedisClientConfigBuilderCustomizer> customizer) {
			return Optional.of((builder) -> {
				customizer.ifPresent((theirs) -> theirs.customize(builder));
				if (!this.asksSentinels.get()) {
					builder.blockingSocketTimeoutMillis((int) this.longestSilence.toMillis());
				}
			});
		}

		@Override
		public Optional<JedisClientBuilderCustomizer> getClientCustomizer() {
			return Optional.of((builder) -> {
				if (builder instanceof ClusterClientBuilder<?> cluster) {
					cluster.maxTotalRetriesDuration(LONGEST_REPEATING);
				}
				this.theirs.getClientCustomizer().ifPresent((customizer) -> customizer.customize(builder));
			});
		}

		@Override
		public boolean isUseSsl() {
			return this.theirs.isUseSsl();
		}

		@Override
		public Optional<SSLSocketFactory> getSslSocketFactory() {
			return this.theirs.getSslSocketFactory();
		}

		@Override
		public Optional<SSLParameters> getSslParameters() {
			return this.theirs.getSslParameters();
		}

		@Override
		public Optional<HostnameVerifier> getHostnameVerifier() {
			return this.theirs.getHostnameVerifier();
		}

		@Override
		public Optional<String> getClientName() {
			return this.theirs.getClientName();
		}

		@Override
		public Duration getConnectTimeout() {
			return this.theirs.getConnectTimeout();
		}

		@Override
		public Duration getReadTimeout() {
			return this.theirs.getReadTimeout();
		}

	}

}
