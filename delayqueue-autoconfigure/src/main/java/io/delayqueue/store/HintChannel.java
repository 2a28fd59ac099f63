package io.delayqueue.store;

import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * The channel on which producers tell the sweepers of other processes that a partition
 * has a new head. Lossy by nature; nothing depends on it but the lateness of messages
 * that are scheduled shortly before they are due.
 */
public final class HintChannel {

	private static final Log logger = LogFactory.getLog(HintChannel.class);

	private static final String SEPARATOR = " ";

	private final RedisCalls calls;

	private final String sender = CallToken.next();

	/** Held while the end of a subscription is asked for. */
	private final Semaphore ending = new Semaphore(1);

	// guarded by this

	private @Nullable RedisConnection subscribed;

	private boolean inside;

	/** Before that Redis may refuse it, and the connection be somebody else's. */
	private boolean confirmed;

	/**
	 * Creates the channel.
	 * @param calls the way to Redis
	 */
	public HintChannel(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Tells the other processes.
	 * @param partition the partition that has a new head
	 * @throws StoreException if Redis does not answer
	 */
	public void publish(Partition partition) {
		byte[] hint = Reply
			.bytes(String.join(SEPARATOR, this.sender, partition.queue(), Integer.toString(partition.number())));
		byte[] channel = Reply.bytes(this.calls.keySpace().hints());
		this.calls.command((connection) -> connection.publish(channel, hint));
	}

	/**
	 * Listens to the other processes. With some drivers this returns only when the
	 * connection is lost or {@link #unsubscribe} was called, with others at once. Holds a
	 * connection of its own.
	 * @param wanted whether to listen still, asked once there is a connection
	 * @param receiver gets queue and partition of each hint that another process sent
	 */
	public void subscribe(BooleanSupplier wanted, BiConsumer<String, Integer> receiver) {
		RedisConnection connection = this.calls.connection();
		if (!hold(connection, wanted)) {
			connection.close();
			return;
		}
		boolean failed = true;
		boolean goesOn = false;
		try {
			connection.subscribe(new Listener(connection, receiver), Reply.bytes(this.calls.keySpace().hints()));
			failed = false;
			goesOn = isAlive(connection);
		}
		finally {
			// The driver may still call a subscription alive whose connection is gone
			if (!left(connection) || !goesOn) {
				letGo(connection);
				if (!failed || this.calls.isOverLettuce()) {
					connection.close();
				}
				// Jedis has given the connection back already: to close would send
				// UNSUBSCRIBE over it, and whoever takes it next would be given that
				// reply instead of its own
			}
		}
	}

	/**
	 * Whether it listens.
	 * @return {@code true} while a subscription is alive
	 */
	public synchronized boolean isSubscribed() {
		return this.subscribed != null && isAlive(this.subscribed);
	}

	/** Ends listening. Never fails: a connection that is broken ends it too. */
	public synchronized void unsubscribe() {
		RedisConnection connection = this.subscribed;
		if (connection == null) {
			return;
		}
		try {
			if (!this.inside) {
				this.subscribed = null;
				connection.close();
				return;
			}
			// Closed by the thread that reads from it, at the latest when it is confirmed
			Subscription subscription = connection.getSubscription();
			this.subscribed = null;
			if (subscription != null && this.confirmed) {
				this.ending.acquireUninterruptibly();
				try {
					subscription.close();
				}
				finally {
					this.ending.release();
				}
			}
		}
		catch (RuntimeException broken) {
			logger.debug("The subscription to hints was broken already", broken);
		}
	}

	private static boolean isAlive(RedisConnection connection) {
		Subscription subscription = connection.getSubscription();
		return subscription != null && subscription.isAlive();
	}

	private synchronized boolean hold(RedisConnection connection, BooleanSupplier wanted) {
		boolean hold = wanted.getAsBoolean();
		if (hold) {
			this.subscribed = connection;
			this.inside = true;
			this.confirmed = false;
		}
		return hold;
	}

	/**
	 * The driver has given the thread back; says whether the connection is still held.
	 */
	private synchronized boolean left(RedisConnection connection) {
		this.inside = false;
		return this.subscribed == connection;
	}

	/** Redis has accepted the subscription; says whether it is still held. */
	private synchronized boolean confirm(RedisConnection connection) {
		this.confirmed = true;
		return this.subscribed == connection;
	}

	private synchronized void letGo(RedisConnection connection) {
		if (this.subscribed == connection) {
			this.subscribed = null;
		}
	}

	private void receive(String hint, BiConsumer<String, Integer> receiver) {
		String[] parts = hint.split(SEPARATOR, -1);
		if (parts.length == 3 && !parts[0].equals(this.sender) && parts[2].matches("\\d{1,4}")) {
			receiver.accept(parts[1], Integer.valueOf(parts[2]));
		}
	}

	/**
	 * Where a subscription holds its thread, Redis may confirm its end before the thread
	 * that asked for it has finished writing. The connection would go back to the pool
	 * meanwhile, and who takes it would write the rest along with its own request, and
	 * then be given replies to other requests than its own. So the confirmation waits.
	 */
	private final class Listener implements MessageListener, SubscriptionListener {

		private final RedisConnection connection;

		private final BiConsumer<String, Integer> receiver;

		Listener(RedisConnection connection, BiConsumer<String, Integer> receiver) {
			this.connection = connection;
			this.receiver = receiver;
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			receive(Reply.text(message.getBody()), this.receiver);
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			// Lettuce does not hold the thread: who subscribes leaves by itself
			if (!HintChannel.this.calls.isOverLettuce() && !confirm(this.connection)) {
				Subscription subscription = this.connection.getSubscription();
				if (subscription != null) {
					subscription.close();
				}
			}
		}

		@Override
		public void onChannelUnsubscribed(byte[] channel, long count) {
			HintChannel.this.ending.acquireUninterruptibly();
			HintChannel.this.ending.release();
		}

	}

}
