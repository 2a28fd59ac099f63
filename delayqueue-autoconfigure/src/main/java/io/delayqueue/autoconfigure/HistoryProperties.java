package io.delayqueue.autoconfigure;

import java.time.Duration;

import io.delayqueue.queue.EndSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Name;

/**
 * Properties of the history of a queue, which lists how messages have ended. A queue has
 * a history if the property {@code for} or the property {@code at-most} is set, either
 * for the queue or as a default.
 *
 * @param keptFor How long the history keeps the entry of an ended message.
 * @param atMost Maximum number of ended messages in the history; 0 for no history.
 */
public record HistoryProperties(@Name("for") @Nullable Duration keptFor, @Nullable Integer atMost) {

	/**
	 * Returns the settings of a queue for ended messages: each setting is that of the
	 * queue, or the default if the queue does not set it.
	 */
	static EndSettings settings(@Nullable HistoryProperties own, @Nullable HistoryProperties defaults,
			@Nullable String deadLetterQueue) {
		Duration keptFor = (own != null && own.keptFor != null) ? own.keptFor
				: (defaults != null && defaults.keptFor != null) ? defaults.keptFor : EndSettings.DEFAULT_FOR;
		Integer atMost = (own != null && own.atMost != null) ? own.atMost : (defaults != null) ? defaults.atMost : null;
		boolean isSet = own != null || defaults != null;
		return new EndSettings(keptFor, (atMost != null) ? atMost : isSet ? EndSettings.DEFAULT_AT_MOST : 0,
				deadLetterQueue);
	}

	/**
	 * Returns the dead-letter queue of a queue, {@code null} if none is configured or its
	 * name is empty. The default dead-letter queue itself has no dead-letter queue,
	 * unless one is configured for it.
	 */
	static @Nullable String deadLetterQueue(String queue, @Nullable String own, @Nullable String byDefault) {
		String name = (own != null) ? own : queue.equals(byDefault) ? null : byDefault;
		return (name == null || name.isEmpty()) ? null : name;
	}

	void check(ConfigurationFaults faults, String path) {
		faults.check(path + ".for", this.keptFor, EndSettings.HISTORY_FOR);
		faults.check(path + ".at-most", this.atMost, EndSettings.HISTORY_AT_MOST);
	}

}
