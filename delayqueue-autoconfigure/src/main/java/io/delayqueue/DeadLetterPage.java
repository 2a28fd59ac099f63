package io.delayqueue;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Some dead letters of a queue.
 *
 * @param deadLetters the dead letters, of each partition the oldest first
 * @param next what to ask for the next page with, {@code null} if this was the last one
 */
public record DeadLetterPage(List<DeadLetter> deadLetters, @Nullable String next) {

	/**
	 * Copies the dead letters in.
	 */
	public DeadLetterPage {
		deadLetters = List.copyOf(deadLetters);
	}

}
