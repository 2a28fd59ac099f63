package io.delayqueue.store;

import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
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

	/**
	 * A link may break without an end, and then nothing comes over it any more. So a
	 * subscription that has brought nothing for so long is made anew.
	 */
	static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

	private final RedisCalls calls;

	private final long longestSilenceNanos;

	private final LongSupplier nanoTime;

	/**
	 * By this it knows its own hints. Clones of a process must not share it: each has
	 * another one from its next subscription on.
	 */
	private volatile String sender = CallToken.next();

	private volatile long heardAtNanos;

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
		this(calls, LONGEST_SILENCE, System::nanoTime);
	}

	HintChannel(RedisCalls calls, Duration longestSilence, LongSupplier nanoTime) {
		this.calls = calls;
		this.longestSilenceNanos = longestSilence.toNanos();
		this.nanoTime = nanoTime;
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
	 * connection is lost or has been silent for long, or {@link #unsubscribe} was called,
	 * with others at once. Holds a connection of its own.
	 * @param wanted whether to listen still, asked once there is a connection
	 * @param receiver gets queue and partition of each hint that another process sent
	 */
	public void subscribe(BooleanSupplier wanted, BiConsumer<String, Integer> receiver) {
		unsubscribe();
		this.sender = CallToken.next();
		this.heardAtNanos = this.nanoTime.getAsLong();
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
		catch (DataAccessException failure) {
			if (!isSilence(failure)) {
				throw failure;
			}
		}
		finally {
			// The driver may still call a subscription alive whose connection is gone
			if (!left(connection) || !goesOn) {
				letGo(connection);
				if (failed) {
					OwnConnections.closeUnsubscribed(connection);
				}
				else {
					connection.close();
				}
			}
		}
	}

	/** With Jedis; over Lettuce nobody reads. */
	private synchronized boolean isSilence(DataAccessException failure) {
		return this.confirmed
				&& FailureKind.causes(failure).stream().anyMatch(SocketTimeoutException.class::isInstance);
	}

	/**
	 * Whether it listens.
	 * @return {@code true} while a subscription is alive, and not silent for too long
	 */
	public synchronized boolean isSubscribed() {
		return this.subscribed != null && isAlive(this.subscribed)
				&& this.nanoTime.getAsLong() - this.heardAtNanos < this.longestSilenceNanos;
	}

	/** Ends listening. Never fails: a connection that is broken ends it too. */
	public void unsubscribe() {
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
			// Else by the thread that reads from it, when it is confirmed
		}
		catch (RuntimeException broken) {
			logger.debug("The subscription to hints was broken already", broken);
		}
	}

	/** The connection is closed by the thread that reads from it. */
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
			HintChannel.this.heardAtNanos = HintChannel.this.nanoTime.getAsLong();
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
