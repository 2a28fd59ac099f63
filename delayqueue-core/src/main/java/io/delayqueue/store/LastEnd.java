package io.delayqueue.store;

import java.util.Optional;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.store.History.Ended;
import org.jspecify.annotations.Nullable;

/**
 * Finds the latest end of a message among the histories of several partitions. For use by
 * one thread.
 */
public final class LastEnd {

	private @Nullable Ended last;

	/**
	 * Adds the end that one partition has found.
	 * @param ended the last end there, {@code null} for none
	 */
	public void add(@Nullable Ended ended) {
		if (ended != null && (this.last == null || ended.position().compareTo(this.last.position()) < 0)) {
			this.last = ended;
		}
	}

	/**
	 * Returns the latest end that was added.
	 * @return the end, {@code null} if there is none
	 */
	public @Nullable Ended ended() {
		return this.last;
	}

	/**
	 * Makes the view of the ended message that applications get.
	 * @return the message, empty if no history has it
	 */
	public Optional<MessageSnapshot> snapshot() {
		return Optional.ofNullable(this.last).map(Ended::snapshot);
	}

}
