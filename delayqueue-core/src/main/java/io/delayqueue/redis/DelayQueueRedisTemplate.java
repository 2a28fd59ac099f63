package io.delayqueue.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClusterConnection;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * The template with which this library calls Redis, with text keys and raw values. The
 * template does not affect the application's own templates or connection pool. If the
 * driver is Jedis, the template keeps a pool of its own, with the application's address,
 * credentials, timeouts and TLS. With any other driver, the template uses the
 * application's connections, whose lifecycle the application controls.
 */
public final class DelayQueueRedisTemplate extends RedisTemplate<String, byte[]>
		implements SmartLifecycle, DisposableBean {

	/**
	 * The time after which this library renews a subscription (Redis Pub/Sub) that has
	 * received nothing, because a connection may break without an error.
	 */
	public static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

	/**
	 * The shortest time between two closings of the application's shared connection.
	 * Without this limit, the connection would be closed again and again while a server
	 * refuses writes, even if the application only reads from the server.
	 */
	private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final @Nullable OwnJedisConnections own;

	/** How often this template has dropped the connections to a former master. */
	private final AtomicInteger drops = new AtomicInteger();

	private final AtomicLong sharedUntil = new AtomicLong(System.nanoTime());

	private volatile boolean running;

	/**
	 * Creates a template.
	 * @param connections the application's connections
	 */
	public DelayQueueRedisTemplate(RedisConnectionFactory connections) {
		this(connections, LONGEST_SILENCE);
	}

	/**
	 * Creates a template whose subscriptions end when they have received nothing for a
	 * time.
	 * @param connections the application's connections
	 * @param longestSilence the longest wait of a subscription for its next message;
	 * Lettuce ignores this limit
	 */
	public DelayQueueRedisTemplate(RedisConnectionFactory connections, Duration longestSilence) {
		this.own = (connections.getClass() == JedisConnectionFactory.class)
				? new OwnJedisConnections((JedisConnectionFactory) connections, longestSilence) : null;
		setConnectionFactory((this.own != null) ? this.own : connections);
		setKeySerializer(RedisSerializer.string());
		setValueSerializer(RedisSerializer.byteArray());
		setHashKeySerializer(RedisSerializer.string());
		setHashValueSerializer(RedisSerializer.byteArray());
		// Avoid a proxy of the connection for each call; no callback of this library
		// closes the connection that it gets
		setExposeConnection(true);
	}

	/**
	 * Closes a connection whose subscription has failed. With Jedis, closing must not
	 * send UNSUBSCRIBE: the next user of the pooled connection would receive the reply to
	 * UNSUBSCRIBE instead of its own reply.
	 * @param connection the connection
	 */
	public static void closeUnsubscribed(RedisConnection connection) {
		if (connection instanceof JedisConnection || connection instanceof JedisClusterConnection) {
			OwnJedisConnections.giveBackUnsubscribed(connection);
		}
		else {
			connection.close();
		}
	}

	/**
	 * Closes the connections to a server that refuses writes: the server is no longer the
	 * master, and its connections may stay open for ever unless the library closes them.
	 */
	@Override
	public <T extends @Nullable Object> T execute(RedisCallback<T> action, boolean exposeConnection, boolean pipeline) {
		int dropsBefore = this.drops.get();
		try {
			return super.execute(action, exposeConnection, pipeline);
		}
		catch (DataAccessException failure) {
			if ("READONLY".equals(FailureKind.code(failure))
					&& this.drops.compareAndSet(dropsBefore, dropsBefore + 1)) {
				dropConnections();
			}
			throw failure;
		}
	}

	private void dropConnections() {
		try {
			if (this.own != null) {
				this.own.clear();
			}
			else if (getConnectionFactory() instanceof LettuceConnectionFactory lettuce) {
				dropConnection(lettuce);
			}
		}
		catch (RuntimeException broken) {
			this.logger.debug("A connection to a former master was already broken", broken);
		}
	}

	/**
	 * Makes Lettuce reconnect by sending QUIT, so that Lettuce resolves the address of
	 * the server again. Redis still answers commands that were sent before QUIT, and
	 * Lettuce sends later commands over the new connection. Does nothing in a cluster,
	 * because there a former master redirects commands to the new master.
	 */
	private void dropConnection(LettuceConnectionFactory lettuce) {
		DriverSettings settings = DriverSettings.of(lettuce);
		if (!settings.cluster() && (settings.connections() != null || mayEndShared())) {
			RedisConnection connection = lettuce.getConnection();
			try {
				connection.execute("QUIT");
			}
			finally {
				connection.close();
			}
		}
	}

	private boolean mayEndShared() {
		long now = System.nanoTime();
		long until = this.sharedUntil.get();
		return now - until >= 0 && this.sharedUntil.compareAndSet(until, now + SHARED_NANOS);
	}

	@Override
	public void start() {
		if (this.own != null) {
			this.own.start();
		}
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.own != null) {
			this.own.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return (this.own != null) ? this.own.isRunning() : this.running;
	}

	@Override
	public int getPhase() {
		return 0;
	}

	@Override
	public void destroy() {
		stop();
	}

}
