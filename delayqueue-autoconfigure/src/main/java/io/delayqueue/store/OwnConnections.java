package io.delayqueue.store;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Where our connections come from: a pool of our own beside the application's if the
 * driver is Jedis, else the application's factory, whose lifecycle is not ours.
 */
class OwnConnections {

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			OwnConnections.class.getClassLoader());

	private final RedisConnectionFactory factory;

	private boolean running;

	OwnConnections(RedisConnectionFactory factory) {
		this.factory = factory;
	}

	static OwnConnections besides(RedisConnectionFactory connections) {
		OwnConnections own = JEDIS ? OwnJedisConnections.besides(connections) : null;
		return (own != null) ? own : new OwnConnections(connections);
	}

	final RedisConnectionFactory factory() {
		return this.factory;
	}

	void start() {
		this.running = true;
	}

	void stop() {
		this.running = false;
	}

	boolean isRunning() {
		return this.running;
	}

	void destroy() {
		stop();
	}

}
