package io.delayqueue;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What an operator does with messages that were set aside. Inject this interface; the
 * implementation is safe for use by several threads. Every method may be repeated without
 * harm and throws as {@link DelayQueueOperations} does.
 */
public interface DelayQueueAdmin {

	/**
	 * Lists dead letters. Whoever follows the pages neither sees one twice nor misses one
	 * that stays, whatever comes and goes meanwhile.
	 * @param queue the queue
	 * @param from where to go on, as the last page said; {@code null} to begin
	 * @param limit the most dead letters of the page, 1 to 1,000
	 * @return a page
	 */
	DeadLetterPage deadLetters(String queue, @Nullable String from, int limit);

	/**
	 * Looks at one dead letter.
	 * @param key the message
	 * @return the dead letter, empty if the message is none
	 */
	Optional<DeadLetter> deadLetter(MessageKey key);

	/**
	 * Gives a dead letter another chance, at once and with no failures counted.
	 * @param key the message
	 * @return whether it was a dead letter
	 */
	boolean redrive(MessageKey key);

	/**
	 * Gives dead letters another chance, with no failures counted.
	 * @param selection which ones, how many, and over how long to spread them
	 * @return how many were redriven
	 */
	int redrive(DeadLetterSelection selection);

	/**
	 * Removes a dead letter for good.
	 * @param key the message
	 * @return whether it was a dead letter
	 */
	boolean discard(MessageKey key);

	/**
	 * Removes dead letters for good.
	 * @param selection which ones and how many
	 * @return how many were removed
	 */
	int discard(DeadLetterSelection selection);

}
