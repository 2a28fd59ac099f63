package io.delayqueue;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A page of the recurring schedules of a queue.
 *
 * @param schedules the schedules, in no particular order
 * @param cursor the cursor of the next page, {@code null} if this is the last one
 */
public record RecurringPage(List<RecurringSnapshot> schedules, @Nullable String cursor) {

	/**
	 * Copies the schedules.
	 */
	public RecurringPage {
		schedules = List.copyOf(schedules);
	}

	/**
	 * The cursor of the next page.
	 * @return empty if this is the last page
	 */
	public Optional<String> next() {
		return Optional.ofNullable(this.cursor);
	}

}
