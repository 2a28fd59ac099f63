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
 * Where our connections come from: a pool of our own beside the application's if the
 * driver is Jedis, else the application's factory, whose lifecycle is not ours.
 */
class OwnConnections {

	private static final Log logger = LogFactory.getLog(OwnConnections.class);

	private static final boolean JEDIS = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			OwnConnections.class.getClassLoader());

	/**
	 * The application's shared connection is ended no more often than so: a server may
	 * take no writes for long, and the application may only read from it.
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
	 * Makes connections of our own if the driver needs them.
	 * @param connections the application's connections
	 * @param longestSilence for how long a subscription waits for what comes next
	 */
	static OwnConnections besides(RedisConnectionFactory connections, Duration longestSilence) {
		OwnConnections own = JEDIS ? OwnJedisConnections.besides(connections, longestSilence) : null;
		return (own != null) ? own : new OwnConnections(connections);
	}

	/**
	 * Closes a connection whose subscription has failed. With Jedis that must not send
	 * UNSUBSCRIBE: whoever takes the connection next from the pool would be given the
	 * reply instead of its own.
	 */
	static void closeUnsubscribed(RedisConnection connection) {
		if (!JEDIS || !OwnJedisConnections.giveBackUnsubscribed(connection)) {
			connection.close();
		}
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
