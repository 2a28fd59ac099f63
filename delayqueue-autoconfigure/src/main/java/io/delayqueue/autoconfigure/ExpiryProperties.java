package io.delayqueue.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Until when the messages of one queue may be handled; what is not set is as in the
 * defaults.
 *
 * @param after For how long after its due time a message may be handled that says nothing
 * of it; for ever if it is not set.
 * @param then What becomes of a message that has expired.
 */
public record ExpiryProperties(@Nullable Duration after, @Nullable Then then) {

	static final ExpiryProperties NOTHING = new ExpiryProperties(null, null);

	/** What becomes of a message that has expired. */
	public enum Then {

		/** It is set aside among the dead letters. */
		DEAD_LETTER,

		/** It is gone, counted and announced. */
		DROP

	}

	/**
	 * Until when the messages of every queue that says nothing of it may be handled.
	 *
	 * @param after For how long after its due time a message may be handled that says
	 * nothing of it; for ever if it is not set.
	 * @param then What becomes of a message that has expired.
	 */
	public record Defaults(@Nullable Duration after, @DefaultValue("dead-letter") Then then) {

		ExpiryProperties asExpiry() {
			return new ExpiryProperties(this.after, this.then);
		}

	}

}
