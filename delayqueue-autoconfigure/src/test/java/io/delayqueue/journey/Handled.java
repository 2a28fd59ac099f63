package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DelayedMessage;
import org.awaitility.Awaitility;

/**
 * What listeners of a test have handled, in the order of the handler runs.
 */
public final class Handled {

	private final List<Run> runs = new CopyOnWriteArrayList<>();

	/**
	 * One run of a handler.
	 *
	 * @param id the message's id
	 * @param payload the payload
	 * @param dueAt the due time
	 * @param at when the handler ran; the server and the test share a clock
	 * @param attempt the delivery's number
	 */
	public record Run(String id, Object payload, Instant dueAt, Instant at, int attempt) {

		public Duration lateness() {
			return Duration.between(this.dueAt, this.at);
		}

	}

	public void add(DelayedMessage<?> message) {
		this.runs.add(new Run(message.id(), message.payload(), message.dueAt(), Instant.now(), message.attempt()));
	}

	public List<Run> runs() {
		return List.copyOf(this.runs);
	}

	public List<String> ids() {
		return this.runs.stream().map(Run::id).toList();
	}

	/** Waits until there are so many runs; more are seen by who asks again later. */
	public List<Run> await(int count) {
		Awaitility.await().until(() -> this.runs.size() >= count);
		return runs();
	}

}
