package io.delayqueue.store;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The source of this library's connections: with Jedis a pool of its own beside the
 * application's, else the application's factory, whose lifecycle the application
 * controls.
 */
class OwnConnections {

	private static final Log logger = LogFactory.getLog(OwnConnections.class);

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			OwnConnections.class.getClassLoader());

	/**
	 * The shortest time between two closings of the application's shared connection: a
	 * server may refuse writes for long, and the application may only read from it.
	 */
	private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final RedisConnectionFactory factory;

	private final AtomicLong sharedUntil = new AtomicLong(System.nanoTime());

	private final AtomicInteger departures = new AtomicInteger();

	private boolean running;

	OwnConnections(RedisConnectionFactory factory) {
		this.factory = factory;
	}

	/**
	 * Creates connections of this library's own if the driver needs them.
	 * @param connections the application's connections
	 * @param longestSilence how long a subscription waits for the next message
	 */
	static OwnConnections besides(RedisConnectionFactory connections, Duration longestSilence) {
		OwnConnections own = JEDIS ? OwnJedisConnections.besides(connections, longestSilence) : null;
		return (own != null) ? own : new OwnConnections(connections);
	}

	/**
	 * Closes a connection whose subscription has failed. With Jedis that must not send
	 * UNSUBSCRIBE: the next user of the pooled connection would receive its reply instead
	 * of its own.
	 */
	static void closeUnsubscribed(RedisConnection connection) {
		if (!JEDIS || !OwnJedisConnections.giveBackUnsubscribed(connection)) {
			connection.close();
		}
	}

	final RedisConnectionFactory factory() {
		return this.factory;
	}

	/** How often {@link #leave} has dropped connections. */
	final int departures() {
		return this.departures.get();
	}

	/**
	 * Drops connections that may lead to a server which is no longer the master, so that
	 * new ones are opened.
	 * @param connected the departures before the call that failed; if there has been
	 * another one since, nothing is done
	 */
	final void leave(int connected) {
		if (this.departures.compareAndSet(connected, connected + 1)) {
			try {
				dropConnections();
			}
			catch (RuntimeException broken) {
				logger.debug("A connection to a former master was already broken", broken);
			}
		}
	}

	/**
	 * Lettuce reconnects by itself, and resolves the address again. Commands sent before
	 * are answered, later ones are sent over the new connection. In a cluster a node that
	 * is no longer the master redirects to the master.
	 */
	void dropConnections() {
		if (!DriverSettings.isLettuce(this.factory)) {
			return;
		}
		DriverSettings settings = DriverSettings.of(this.factory);
		if (!settings.cluster() && (settings.connections() != null || mayEndShared())) {
			RedisConnection connection = this.factory.getConnection();
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
