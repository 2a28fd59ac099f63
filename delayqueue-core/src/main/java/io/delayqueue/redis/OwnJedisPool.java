package io.delayqueue.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.builders.ClusterClientBuilder;
import redis.clients.jedis.util.Pool;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The pool behind {@link OwnJedisConnections}, with the application's address,
 * credentials, timeouts and TLS. This pool can close its idle connections if Redis is a
 * single server. With sentinels no connections need to be closed: when the sentinels name
 * another master, the driver creates a new pool, and the sentinels close the connections
 * to the old master.
 */
final class OwnJedisPool extends JedisConnectionFactory {

	/**
	 * The longest time for which the cluster driver itself repeats a call. By default the
	 * driver would repeat a call for five times the timeout, with long waits between the
	 * repeats, and so would find a new master late. {@code CallRetry} repeats failed
	 * calls in place of the driver.
	 */
	private static final Duration LONGEST_REPEATING = Duration.ofSeconds(1);

	/**
	 * Whether Spring Data Redis has the type {@code JedisClientBuilderCustomizer}, which
	 * version 4.0 does not have.
	 */
	private static final boolean CUSTOMIZES_CLIENTS = ClassUtils.isPresent(
			"org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer",
			OwnJedisPool.class.getClassLoader());

	/**
	 * Whether the driver asks Redis Sentinel for the master, and subscribes to the
	 * sentinels itself.
	 */
	private final AtomicBoolean asksSentinels;

	private volatile @Nullable Pool<?> pool;

	private OwnJedisPool(RedisClusterConfiguration cluster, JedisClientConfiguration client, AtomicBoolean sentinels) {
		super(cluster, client);
		this.asksSentinels = sentinels;
	}

	private OwnJedisPool(RedisSentinelConfiguration servers, JedisClientConfiguration client, AtomicBoolean sentinels) {
		super(servers, client);
		this.asksSentinels = sentinels;
	}

	private OwnJedisPool(RedisStandaloneConfiguration server, JedisClientConfiguration client,
			AtomicBoolean sentinels) {
		super(server, client);
		this.asksSentinels = sentinels;
	}

	static OwnJedisPool besides(JedisConnectionFactory theirs, Duration longestSilence) {
		RedisClusterConfiguration cluster = theirs.getClusterConfiguration();
		RedisSentinelConfiguration servers = theirs.getSentinelConfiguration();
		RedisStandaloneConfiguration server = theirs.getStandaloneConfiguration();
		AtomicBoolean sentinels = new AtomicBoolean();
		JedisClientConfiguration client = client(theirs.getClientConfiguration(), longestSilence, sentinels);
		if (cluster != null) {
			return new OwnJedisPool(cluster, client, sentinels);
		}
		return (servers != null) ? new OwnJedisPool(servers, client, sentinels)
				: new OwnJedisPool((server != null) ? server : new RedisStandaloneConfiguration(), client, sentinels);
	}

	/**
	 * Returns the application's settings with a pool of this library's own, and with a
	 * read timeout for subscriptions, which have no read timeout by default.
	 */
	@SuppressWarnings("deprecation") // Spring Data Redis 4.0 has only these methods
	private static JedisClientConfiguration client(JedisClientConfiguration theirs, Duration longestSilence,
			AtomicBoolean sentinels) {
		JedisClientConfigurationBuilder client = JedisClientConfiguration.builder()
			.connectTimeout(theirs.getConnectTimeout())
			.readTimeout(theirs.getReadTimeout())
			.customize((builder) -> {
				theirs.getCustomizer().ifPresent((customizer) -> customizer.customize(builder));
				if (!sentinels.get()) {
					builder.blockingSocketTimeoutMillis((int) longestSilence.toMillis());
				}
			});
		theirs.getClientName().filter(StringUtils::hasText).ifPresent(client::clientName);
		if (theirs.isUseSsl()) {
			JedisSslClientConfigurationBuilder ssl = client.useSsl();
			theirs.getSslSocketFactory().ifPresent(ssl::sslSocketFactory);
			theirs.getSslParameters().ifPresent(ssl::sslParameters);
			theirs.getHostnameVerifier().ifPresent(ssl::hostnameVerifier);
		}
		if (CUSTOMIZES_CLIENTS) {
			client.customizeClient((builder) -> {
				if (builder instanceof ClusterClientBuilder<?> cluster) {
					cluster.maxTotalRetriesDuration(LONGEST_REPEATING);
				}
				theirs.getClientCustomizer().ifPresent((customizer) -> customizer.customize(builder));
			});
		}
		ConnectionPoolConfig pool = new ConnectionPoolConfig();
		pool.setMaxTotal(DriverSettings.ENOUGH_CONNECTIONS);
		pool.setMaxIdle(DriverSettings.ENOUGH_CONNECTIONS);
		pool.setMinIdle(0);
		pool.setMaxWait(OwnJedisConnections.LONGEST_WAIT);
		return client.usePooling().poolConfig(pool).build();
	}

	@Override
	protected RedisSentinelClient createRedisSentinelClient(RedisSentinelConfiguration servers) {
		this.asksSentinels.set(true);
		return super.createRedisSentinelClient(servers);
	}

	/**
	 * Spring Data Redis 4.0 calls this method instead of the method that later versions
	 * call.
	 */
	@Override
	@SuppressWarnings("deprecation")
	protected Pool<Jedis> createRedisSentinelPool(RedisSentinelConfiguration servers) {
		this.asksSentinels.set(true);
		return super.createRedisSentinelPool(servers);
	}

	@Override
	protected RedisClient createRedisClient(RedisStandaloneConfiguration server) {
		RedisClient created = super.createRedisClient(server);
		this.pool = created.getPool();
		return created;
	}

	/**
	 * Spring Data Redis 4.0 calls this method instead of the method that later versions
	 * call.
	 */
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
		return (connection.getNativeConnection() instanceof UnifiedJedis client && connection instanceof JedisConnection
				&& !(connection instanceof RedisClusterConnection)) ? new PerCommandJedisConnection(client)
						: connection;
	}

	void clear() {
		Pool<?> current = this.pool;
		if (current != null) {
			current.clear();
		}
	}

	/**
	 * A connection that takes a connection from the pool for each single command, and
	 * returns it after the command. So this object has nothing to return when it is
	 * closed, except during a pipeline or a transaction. At each close, Spring's
	 * implementation creates an exception with a stack trace to check for a transaction;
	 * this class avoids that cost.
	 */
	private static final class PerCommandJedisConnection extends JedisConnection {

		private boolean closed;

		PerCommandJedisConnection(UnifiedJedis client) {
			super(client);
		}

		@Override
		protected void doClose() {
			this.closed = true;
			// A transaction begins with WATCH and keeps a pooled connection
			if (isPipelined() || getTransaction() != null) {
				super.doClose();
			}
		}

		@Override
		public boolean isClosed() {
			return this.closed;
		}

	}

}
