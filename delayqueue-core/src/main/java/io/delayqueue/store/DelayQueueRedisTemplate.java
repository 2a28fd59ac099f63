package io.delayqueue.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * The template that all access to Redis goes through: text keys, raw values. The
 * application's own templates are not touched, and neither is its connection pool: where
 * the driver is Jedis the template keeps a pool of its own, with the application's
 * address, credentials, timeouts and TLS.
 */
public final class DelayQueueRedisTemplate extends RedisTemplate<String, byte[]>
		implements SmartLifecycle, DisposableBean {

	private final OwnConnections own;

	/**
	 * Creates a template.
	 * @param connections the application's connections
	 */
	public DelayQueueRedisTemplate(RedisConnectionFactory connections) {
		this(connections, HintChannel.LONGEST_SILENCE);
	}

	DelayQueueRedisTemplate(RedisConnectionFactory connections, Duration longestSilence) {
		this.own = OwnConnections.besides(connections, longestSilence);
		setConnectionFactory(this.own.factory());
		setKeySerializer(RedisSerializer.string());
		setValueSerializer(RedisSerializer.byteArray());
		setHashKeySerializer(RedisSerializer.string());
		setHashValueSerializer(RedisSerializer.byteArray());
		// Avoids a proxy per call; no callback closes the connection that it is given
		setExposeConnection(true);
	}

	/**
	 * A server that refuses writes is no longer the master. The connections to it may
	 * stay open for ever unless they are closed here.
	 */
	@Override
	public <T extends @Nullable Object> T execute(RedisCallback<T> action, boolean exposeConnection, boolean pipeline) {
		int connected = this.own.departures();
		try {
			return super.execute(action, exposeConnection, pipeline);
		}
		catch (DataAccessException failure) {
			if ("READONLY".equals(FailureKind.code(failure))) {
				this.own.leave(connected);
			}
			throw failure;
		}
	}

	@Override
	public void start() {
		this.own.start();
	}

	@Override
	public void stop() {
		this.own.stop();
	}

	@Override
	public boolean isRunning() {
		return this.own.isRunning();
	}

	@Override
	public int getPhase() {
		return 0;
	}

	@Override
	public void destroy() {
		this.own.destroy();
	}

}
