package io.delayqueue;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A page of the recurring schedules of a queue.
 *
 * @param schedules the schedules, in no particular order
 * @param cursor the cursor of the next page, {@code null} if this page is the last
 */
public record RecurringPage(List<RecurringSnapshot> schedules, @Nullable String cursor) {

	/** Copies the schedules. */
	public RecurringPage {
		schedules = List.copyOf(schedules);
	}

	/**
	 * {@return the cursor of the next page, empty if this page is the last}
	 */
	public Optional<String> next() {
		return Optional.ofNullable(this.cursor);
	}

}
