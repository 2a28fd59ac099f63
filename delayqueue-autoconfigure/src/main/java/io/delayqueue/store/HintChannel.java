package io.delayqueue.store;

import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;

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

	private @Nullable RedisConnection subscribed;

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
		MessageListener listener = (message, pattern) -> receive(Reply.text(message.getBody()), receiver);
		try {
			connection.subscribe(listener, Reply.bytes(this.calls.keySpace().hints()));
		}
		catch (RuntimeException lost) {
			// The driver may still call a subscription alive whose connection is gone
			unsubscribe();
			throw lost;
		}
		if (!isSubscribed()) {
			unsubscribe();
		}
	}

	/**
	 * Whether it listens.
	 * @return {@code true} while a subscription is alive
	 */
	public synchronized boolean isSubscribed() {
		Subscription subscription = (this.subscribed != null) ? this.subscribed.getSubscription() : null;
		return subscription != null && subscription.isAlive();
	}

	/** Ends listening. Never fails: a connection that is broken ends it too. */
	public synchronized void unsubscribe() {
		RedisConnection connection = this.subscribed;
		this.subscribed = null;
		if (connection != null) {
			try {
				Subscription subscription = connection.getSubscription();
				if (subscription != null && subscription.isAlive()) {
					subscription.close();
				}
			}
			catch (RuntimeException broken) {
				logger.debug("The subscription to hints was broken already", broken);
			}
			finally {
				connection.close();
			}
		}
	}

	private synchronized boolean hold(RedisConnection connection, BooleanSupplier wanted) {
		boolean hold = wanted.getAsBoolean();
		if (hold) {
			this.subscribed = connection;
		}
		return hold;
	}

	private void receive(String hint, BiConsumer<String, Integer> receiver) {
		String[] parts = hint.split(SEPARATOR, -1);
		if (parts.length == 3 && !parts[0].equals(this.sender) && parts[2].matches("\\d{1,4}")) {
			receiver.accept(parts[1], Integer.valueOf(parts[2]));
		}
	}

}
