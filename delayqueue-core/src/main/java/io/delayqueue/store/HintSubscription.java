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
 * with Jedis also reads from the connection. Another thread may end the subscription at
 * any time. This class decides which of the two threads closes the connection. Safe for
 * use by several threads.
 */
final class HintSubscription {

	private static final Log logger = LogFactory.getLog(HintSubscription.class);

	/** A semaphore with one permit, which a thread holds while it ends a subscription. */
	private final Semaphore ending = new Semaphore(1);

	// The following fields are guarded by the monitor of this object

	private @Nullable RedisConnection subscribed;

	private boolean inside;

	/**
	 * Whether Redis has confirmed the subscription. Before the confirmation, Redis may
	 * refuse the subscription, and the pool may give the connection to another caller.
	 */
	private boolean confirmed;

	/**
	 * Ends the subscription to hints. Never fails, because a broken connection also ends
	 * the subscription.
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
			// If Redis has not confirmed the subscription yet, the thread that reads from
			// the connection closes it on the confirmation
		}
		catch (RuntimeException broken) {
			logger.debug("The subscription to hints was already broken", broken);
		}
	}

	/**
	 * Sends the commands to unsubscribe. The thread that reads from the connection then
	 * closes it.
	 */
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
	 * @return {@code false} if a call of {@link #end} has ended the subscription
	 */
	synchronized boolean isHeldAfterReturn(RedisConnection connection) {
		this.inside = false;
		return this.subscribed == connection;
	}

	/**
	 * Records that Redis has accepted the subscription.
	 * @return {@code false} if a call of {@link #end} has ended the subscription
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

	/** Whether this process has a subscription whose connection is alive. */
	synchronized boolean isAlive() {
		return this.subscribed != null && isAlive(this.subscribed);
	}

	/**
	 * Waits until no thread is ending a subscription. If a subscription blocks its
	 * thread, Redis may confirm the unsubscription before the unsubscribing thread has
	 * finished writing. Without this wait, the connection would return to the pool too
	 * early. The next user of the connection would send the rest of the unsubscription
	 * together with its own request, and would then receive replies to other requests.
	 */
	void awaitEnd() {
		this.ending.acquireUninterruptibly();
		this.ending.release();
	}

	/**
	 * Whether a subscription failed because it received nothing for too long. This occurs
	 * only with Jedis, because with Lettuce no thread waits in a read.
	 */
	synchronized boolean isSilence(DataAccessException failure) {
		return this.confirmed && failure.contains(SocketTimeoutException.class);
	}

}
