package io.delayqueue.admin;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A page of the dead letters of a queue.
 *
 * @param deadLetters the dead letters, partition by partition, the oldest of each first
 * @param next the cursor of the next page, {@code null} after the last page
 */
public record DeadLetterPage(List<DeadLetter> deadLetters, @Nullable String next) {

	/**
	 * Copies the list.
	 */
	public DeadLetterPage {
		deadLetters = List.copyOf(deadLetters);
	}

}
