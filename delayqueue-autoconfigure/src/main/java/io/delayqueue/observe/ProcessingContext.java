package io.delayqueue.observe;

import java.util.List;
import java.util.Map;

import io.micrometer.observation.Observation;

/**
 * What an observation of a call of a handler is about.
 */
public final class ProcessingContext extends Observation.Context {

	private final String queue;

	private final int attempt;

	private final int size;

	private final List<TracedMessage> messages;

	private final Outcomes outcomes = new Outcomes();

	/**
	 * Creates the context.
	 * @param attempt 0 for a batch
	 * @param size how many messages there are
	 * @param messages those of them that are told of
	 */
	ProcessingContext(String queue, int attempt, int size, List<TracedMessage> messages) {
		this.queue = queue;
		this.attempt = attempt;
		this.size = size;
		this.messages = messages;
	}

	/**
	 * A message that a handler gets.
	 *
	 * @param id the message's id
	 * @param headers its headers
	 */
	public record TracedMessage(String id, Map<String, String> headers) {
	}

	/**
	 * The queue.
	 * @return the queue's name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * The number of this attempt.
	 * @return 1 for the first one, 0 for a batch
	 */
	public int attempt() {
		return this.attempt;
	}

	/**
	 * Whether the handler gets a batch, of one message perhaps.
	 * @return {@code false} if it gets messages one by one
	 */
	public boolean isBatch() {
		return this.attempt == 0;
	}

	/**
	 * How many messages the handler gets, those included that cannot be read.
	 * @return 1 or more
	 */
	public int size() {
		return this.size;
	}

	/**
	 * The messages.
	 * @return at least one; of a large batch the first 128
	 */
	public List<TracedMessage> messages() {
		return this.messages;
	}

	/**
	 * What became of the messages, as the meter {@code delayqueue.handled} has it.
	 * @return {@code none} as long as that is not known, {@code mixed} if it differs
	 */
	public String outcome() {
		return this.outcomes.toString();
	}

	Outcomes outcomes() {
		return this.outcomes;
	}

}
