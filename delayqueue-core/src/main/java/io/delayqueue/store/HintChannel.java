package io.delayqueue.store;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
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
 * The Pub/Sub channels on which processes send hints to each other: one channel to all
 * processes, and one channel to each member (process that consumes queues). Hints may be
 * lost: without hints, messages that are scheduled shortly before they are due are
 * delivered later, and nothing else changes.
 */
public final class HintChannel {

	private static final Log logger = LogFactory.getLog(HintChannel.class);

	private final RedisCalls calls;

	private final long longestSilenceNanos;

	private final LongSupplier nanoTime;

	/**
	 * The value that names this process as the sender in its hints. The process ignores
	 * received hints that contain this value. Each subscription sets a new value, so that
	 * two processes that were restored from one memory image have different values.
	 */
	private volatile String sender = CallToken.next();

	private volatile long receivedAtNanos;

	/**
	 * Whether this process subscribes only to the channel to all processes, because Redis
	 * has refused the subscription to the channel of this member.
	 */
	private volatile boolean isOnlyForAll;

	private volatile HintSubscription subscription = new HintSubscription();

	/**
	 * Creates the access to the channels of hints.
	 * @param calls the access to Redis
	 */
	public HintChannel(RedisCalls calls) {
		this(calls, DelayQueueRedisTemplate.LONGEST_SILENCE, System::nanoTime);
	}

	HintChannel(RedisCalls calls, Duration longestSilence, LongSupplier nanoTime) {
		this.calls = calls;
		this.longestSilenceNanos = longestSilence.toNanos();
		this.nanoTime = nanoTime;
	}

	/** Receives the hints of other processes. An implementation must return at once. */
	@FunctionalInterface
	public interface Receiver {

		/**
		 * Receives a hint of another process.
		 * @param hint the hint
		 * @param isForAll {@code true} if the hint was sent to all processes,
		 * {@code false} if only to this process
		 */
		void receive(Hint hint, boolean isForAll);

	}

	/**
	 * Returns the server over which {@link #publish} sends hints about a partition.
	 * @param partition the partition
	 * @return the server, empty if there is only one or it is not known
	 */
	public String server(Partition partition) {
		return this.calls.server(partition);
	}

	/**
	 * Sends a hint to other processes. A hint that cannot be sent is lost.
	 * @param hint the hint
	 * @param member the name of the process that gets the hint, {@code null} for all
	 * processes
	 */
	public void publish(Hint hint, @Nullable String member) {
		KeySpace names = this.calls.keySpace();
		byte[] channel = Reply.bytes((member != null) ? names.hints(member) : names.hints());
		byte[] text = Reply.bytes(hint.text(this.sender));
		try {
			this.calls.publish(hint, channel, text);
		}
		catch (StoreException failure) {
			if (member != null && failure.kind() == FailureKind.REFUSED) {
				// The Redis user may lack the right to publish on the channels of single
				// members
				publish(hint, null);
				return;
			}
			logger.debug("Could not send " + hint + "; receivers act without it at their next check", failure);
		}
	}

	/**
	 * Subscribes to the hints of other processes. With Lettuce the method returns at
	 * once. With Jedis the method returns when the connection is lost or has received
	 * nothing for too long, or after a call of {@link #unsubscribe}. The subscription
	 * holds a connection of its own.
	 * @param wanted returns whether this process still needs the subscription; called
	 * after the connection is opened
	 * @param member the name of this process in the list of members
	 * @param receiver gets each hint that another process sent
	 */
	public void subscribe(BooleanSupplier wanted, String member, Receiver receiver) {
		unsubscribe();
		this.sender = CallToken.next();
		this.receivedAtNanos = this.nanoTime.getAsLong();
		HintSubscription own = this.subscription;
		RedisConnection connection = this.calls.connection();
		if (!own.hold(connection, wanted)) {
			connection.close();
			return;
		}
		boolean failed = true;
		boolean goesOn = false;
		try {
			KeySpace names = this.calls.keySpace();
			byte[] all = Reply.bytes(names.hints());
			byte[][] channels = this.isOnlyForAll ? new byte[][] { all }
					: new byte[][] { all, Reply.bytes(names.hints(member)) };
			connection.subscribe(new Listener(own, connection, receiver), channels);
			failed = false;
			goesOn = HintSubscription.isAlive(connection);
		}
		catch (DataAccessException failure) {
			if (!own.isSilence(failure)) {
				this.isOnlyForAll = StoreException.of(failure, false).kind() == FailureKind.REFUSED;
				throw failure;
			}
		}
		finally {
			// The driver may report a subscription as alive although its connection is
			// closed
			if (!own.isHeldAfterReturn(connection) || !goesOn) {
				own.drop(connection);
				if (failed) {
					DelayQueueRedisTemplate.closeUnsubscribed(connection);
				}
				else {
					connection.close();
				}
			}
		}
	}

	/**
	 * Whether this process receives hints.
	 * @return {@code true} while a subscription is alive and has not been silent for too
	 * long
	 */
	public boolean isSubscribed() {
		return this.subscription.isAlive()
				&& this.nanoTime.getAsLong() - this.receivedAtNanos < this.longestSilenceNanos;
	}

	/**
	 * Whether the subscription has received a hint, even one of this process, since a
	 * time.
	 * @param nanos the time, by {@link System#nanoTime()}
	 * @return {@code true} also if the subscription began later
	 */
	public boolean hasReceivedSince(long nanos) {
		return this.receivedAtNanos - nanos >= 0;
	}

	/**
	 * Ends the subscription to hints. Never fails, because a broken connection also ends
	 * the subscription.
	 */
	public void unsubscribe() {
		this.subscription.end();
	}

	/**
	 * Gives up the subscription, because its node hangs. Another subscription may begin
	 * at once, even if a thread is still in {@link #subscribe}.
	 * @return the work that ends the subscription that was given up; may take until the
	 * timeout of the driver
	 */
	public Runnable abandon() {
		HintSubscription abandoned = this.subscription;
		this.subscription = new HintSubscription();
		return abandoned::end;
	}

	private void receive(String text, boolean isForAll, Receiver receiver) {
		Hint hint = Hint.from(text, this.sender);
		if (hint != null) {
			receiver.receive(hint, isForAll);
		}
	}

	private final class Listener implements MessageListener, SubscriptionListener {

		private final HintSubscription subscription;

		private final RedisConnection connection;

		private final Receiver receiver;

		Listener(HintSubscription subscription, RedisConnection connection, Receiver receiver) {
			this.subscription = subscription;
			this.connection = connection;
			this.receiver = receiver;
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			HintChannel.this.receivedAtNanos = HintChannel.this.nanoTime.getAsLong();
			boolean isForAll = Reply.text(message.getChannel()).equals(HintChannel.this.calls.keySpace().hints());
			receive(Reply.text(message.getBody()), isForAll, this.receiver);
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			// With Lettuce, the method subscribe returns at once, and closes the
			// connection if the subscription was ended meanwhile, so no confirmation is
			// needed
			if (!HintChannel.this.calls.isOverLettuce() && !this.subscription.confirm(this.connection)) {
				Subscription confirmed = this.connection.getSubscription();
				if (confirmed != null) {
					confirmed.close();
				}
			}
		}

		@Override
		public void onChannelUnsubscribed(byte[] channel, long count) {
			this.subscription.awaitEnd();
		}

	}

}
