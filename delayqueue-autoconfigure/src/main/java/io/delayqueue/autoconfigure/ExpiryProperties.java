package io.delayqueue.autoconfigure;

import java.time.Duration;

import io.delayqueue.queue.ExpirySettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Expiry of the messages of one queue. The defaults apply to everything that is not set.
 *
 * @param after How long after its due time a message without an expiry of its own may be
 * handled; if not set, it does not expire.
 * @param then What happens to an expired message.
 */
public record ExpiryProperties(@Nullable Duration after, @Nullable Then then) {

	/** What happens to an expired message. */
	public enum Then {

		/** The message is dead-lettered. */
		DEAD_LETTER,

		/** The message is removed, counted, and published as an event. */
		DROP

	}

	/**
	 * Expiry of the messages of every queue that does not set its own.
	 *
	 * @param after How long after its due time a message without an expiry of its own may
	 * be handled; if not set, it does not expire.
	 * @param then What happens to an expired message.
	 */
	public record Defaults(@Nullable Duration after, @DefaultValue("dead-letter") Then then) {

		ExpiryProperties asExpiry() {
			return new ExpiryProperties(this.after, this.then);
		}

		/**
		 * Returns the settings of a queue: the values of the queue, or else the defaults.
		 */
		ExpirySettings settings(@Nullable ExpiryProperties own) {
			Duration after = (own != null && own.after != null) ? own.after : this.after;
			Then then = (own != null && own.then != null) ? own.then : this.then;
			return new ExpirySettings(after, then == Then.DROP);
		}

	}

}
