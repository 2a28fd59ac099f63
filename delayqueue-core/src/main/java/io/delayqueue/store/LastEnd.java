package io.delayqueue.store;

import java.util.Optional;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.store.History.Ended;
import org.jspecify.annotations.Nullable;

/**
 * The latest end of an id in the histories of several partitions. For use by one thread.
 */
public final class LastEnd {

	private @Nullable Ended last;

	/**
	 * Adds what one partition has found.
	 * @param ended the last end there, {@code null} for none
	 */
	public void add(@Nullable Ended ended) {
		if (ended != null && (this.last == null || ended.position().compareTo(this.last.position()) < 0)) {
			this.last = ended;
		}
	}

	/**
	 * The latest end.
	 * @return the end, {@code null} if there is none
	 */
	public @Nullable Ended ended() {
		return this.last;
	}

	/**
	 * The message as an application sees it.
	 * @return the message, empty if no history has it
	 */
	public Optional<MessageSnapshot> snapshot() {
		return Optional.ofNullable(this.last).map(Ended::snapshot);
	}

}
