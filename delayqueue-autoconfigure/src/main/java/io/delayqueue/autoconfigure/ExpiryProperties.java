package io.delayqueue.autoconfigure;

import java.time.Duration;

import io.delayqueue.queue.ExpirySettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Expiry of the messages of one queue. {@code delayqueue.defaults.expiry} applies to each
 * property that is not set.
 *
 * @param after How long after its due time a message may be handled if the call that
 * scheduled it has set no expiry. If not set, such messages do not expire.
 * @param then What happens to an expired message.
 */
public record ExpiryProperties(@Nullable Duration after, @Nullable Then then) {

	/** What happens to an expired message. */
	public enum Then {

		/** The message is dead-lettered. */
		DEAD_LETTER,

		/** The message is removed; a meter counts it, and an event reports it. */
		DROP

	}

	/**
	 * Default expiry of the messages of queues; a queue may set other values.
	 *
	 * @param after How long after its due time a message may be handled if the call that
	 * scheduled it has set no expiry. If not set, such messages do not expire.
	 * @param then What happens to an expired message.
	 */
	public record Defaults(@Nullable Duration after, @DefaultValue("dead-letter") Then then) {

		ExpiryProperties asExpiry() {
			return new ExpiryProperties(this.after, this.then);
		}

		/**
		 * Returns the expiry settings of a queue: each value is that of the queue, or the
		 * default if the queue does not set it.
		 */
		ExpirySettings settings(@Nullable ExpiryProperties own) {
			Duration after = (own != null && own.after != null) ? own.after : this.after;
			Then then = (own != null && own.then != null) ? own.then : this.then;
			return new ExpirySettings(after, then == Then.DROP);
		}

	}

}
