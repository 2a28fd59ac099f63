package io.delayqueue.store;

import java.util.Optional;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.store.History.Ended;
import org.jspecify.annotations.Nullable;

/**
 * Finds how a message ended last, from the histories of several partitions (several
 * messages with the same id may have ended). For use by one thread.
 */
public final class LastEnd {

	private @Nullable Ended last;

	/**
	 * Adds the last end of the message according to the history of one partition.
	 * @param ended how the message ended last in that partition, {@code null} if the
	 * history does not have the message
	 */
	public void add(@Nullable Ended ended) {
		if (ended != null && (this.last == null || ended.position().compareTo(this.last.position()) < 0)) {
			this.last = ended;
		}
	}

	/**
	 * Returns how the message ended last in all added histories.
	 * @return the last end, {@code null} if no history has the message
	 */
	public @Nullable Ended ended() {
		return this.last;
	}

	/**
	 * Makes the snapshot of the ended message that applications get.
	 * @return the snapshot, empty if no history has the message
	 */
	public Optional<MessageSnapshot> snapshot() {
		return Optional.ofNullable(this.last).map(Ended::snapshot);
	}

}
