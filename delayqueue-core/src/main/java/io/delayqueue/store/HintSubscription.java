package io.delayqueue.store;

import java.net.SocketTimeoutException;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;

/**
 * The connection on which this process is subscribed to hints. One thread subscribes, and
 * with Jedis reads from the connection; another one may end the subscription at any time,
 * and the right one of both closes the connection. Safe for use by several threads.
 */
final class HintSubscription {

	private static final Log logger = LogFactory.getLog(HintChannel.class);

	/** Its permit is taken while a thread closes a subscription. */
	private final Semaphore ending = new Semaphore(1);

	// guarded by the monitor of this object

	private @Nullable RedisConnection subscribed;

	private boolean inside;

	/**
	 * Whether Redis has confirmed the subscription; before, it may refuse it, and another
	 * caller may get the connection.
	 */
	private boolean confirmed;

	/**
	 * Ends the subscription. Never fails, because a broken connection also ends the
	 * subscription.
	 */
	void end() {
		RedisConnection connection;
		boolean isRead;
		boolean mayBeEnded;
		synchronized (this) {
			connection = this.subscribed;
			isRead = this.inside;
			mayBeEnded = this.confirmed;
			this.subscribed = null;
		}
		if (connection == null) {
			return;
		}
		try {
			if (!isRead) {
				connection.close();
			}
			else if (mayBeEnded) {
				end(connection);
			}
			// If it is not confirmed yet, the thread that reads from the connection
			// closes it on the confirmation
		}
		catch (RuntimeException broken) {
			logger.debug("The subscription to hints was already broken", broken);
		}
	}

	/** Unsubscribes; the thread that reads from the connection closes it. */
	private void end(RedisConnection connection) {
		Subscription subscription = connection.getSubscription();
		if (subscription != null) {
			this.ending.acquireUninterruptibly();
			try {
				subscription.close();
			}
			finally {
				this.ending.release();
			}
		}
	}

	static boolean isAlive(RedisConnection connection) {
		Subscription subscription = connection.getSubscription();
		return subscription != null && subscription.isAlive();
	}

	synchronized boolean hold(RedisConnection connection, BooleanSupplier wanted) {
		boolean hold = wanted.getAsBoolean();
		if (hold) {
			this.subscribed = connection;
			this.inside = true;
			this.confirmed = false;
		}
		return hold;
	}

	/**
	 * Records that the driver's subscribe call has returned.
	 * @return {@code false} if {@link #end} has dropped the connection
	 */
	synchronized boolean isHeldAfterReturn(RedisConnection connection) {
		this.inside = false;
		return this.subscribed == connection;
	}

	/**
	 * Records that Redis has accepted the subscription.
	 * @return {@code false} if {@link #end} has dropped the connection
	 */
	synchronized boolean confirm(RedisConnection connection) {
		this.confirmed = true;
		return this.subscribed == connection;
	}

	synchronized void drop(RedisConnection connection) {
		if (this.subscribed == connection) {
			this.subscribed = null;
		}
	}

	/** Whether there is a subscription, and its connection is alive. */
	synchronized boolean isAlive() {
		return this.subscribed != null && isAlive(this.subscribed);
	}

	/**
	 * Waits until no thread is ending a subscription. If a subscription blocks its
	 * thread, Redis may confirm the unsubscription before the unsubscribing thread has
	 * finished writing. The connection would return to the pool too early. Its next user
	 * would send the rest of the unsubscription together with its own request, and would
	 * then receive replies to other requests.
	 */
	void awaitEnd() {
		this.ending.acquireUninterruptibly();
		this.ending.release();
	}

	/**
	 * Whether a subscription failed because it received nothing; only with Jedis, because
	 * with Lettuce no thread reads.
	 */
	synchronized boolean isSilence(DataAccessException failure) {
		return this.confirmed && failure.contains(SocketTimeoutException.class);
	}

}
