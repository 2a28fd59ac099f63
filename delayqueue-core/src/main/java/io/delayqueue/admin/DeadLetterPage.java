package io.delayqueue.admin;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A page of the dead letters of a queue.
 *
 * @param deadLetters the dead letters, one partition after the other, the oldest of each
 * partition first
 * @param next the cursor of the next page, {@code null} after the last page
 */
public record DeadLetterPage(List<DeadLetter> deadLetters, @Nullable String next) {

	/**
	 * Copies the list of dead letters.
	 */
	public DeadLetterPage {
		deadLetters = List.copyOf(deadLetters);
	}

}
