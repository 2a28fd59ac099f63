package io.delayqueue.store;

import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Where our connections come from: a pool of our own beside the application's if the
 * driver is Jedis, else the application's factory, whose lifecycle is not ours.
 */
class OwnConnections {

	private static final Log logger = LogFactory.getLog(OwnConnections.class);

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			OwnConnections.class.getClassLoader());

	private final RedisConnectionFactory factory;

	private final AtomicInteger departures = new AtomicInteger();

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

	/** How often {@link #leave} has let go of connections. */
	final int departures() {
		return this.departures.get();
	}

	/**
	 * Lets go of connections that may lead to a server which does not lead any more, so
	 * that the next ones are made anew.
	 * @param connected the departures before the call that found out; if there has been
	 * another one since, nothing is done
	 */
	final void leave(int connected) {
		if (this.departures.compareAndSet(connected, connected + 1)) {
			try {
				letGo();
			}
			catch (RuntimeException broken) {
				logger.debug("A connection to a server that does not lead was broken already", broken);
			}
		}
	}

	/**
	 * Lettuce connects again by itself, and asks anew for the address. What was sent
	 * before is answered, and what comes after is sent over the new connection. In a
	 * cluster a node that does not lead says who does.
	 */
	void letGo() {
		if (DriverSettings.isLettuce(this.factory) && !DriverSettings.of(this.factory).cluster()) {
			RedisConnection connection = this.factory.getConnection();
			try {
				connection.execute("QUIT");
			}
			finally {
				connection.close();
			}
		}
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
