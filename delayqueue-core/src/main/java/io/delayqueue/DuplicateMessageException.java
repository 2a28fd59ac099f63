package io.delayqueue;

import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a message was not scheduled, because its id exists already and the request
 * has the policy {@link DuplicatePolicy#fail()}. The refused call wrote nothing to Redis.
 */
public final class DuplicateMessageException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final @Nullable MessageState state;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id
	 * @param state the state of the existing message, {@code null} if it has finished
	 * within its de-duplication window
	 */
	public DuplicateMessageException(String queue, String messageId, @Nullable MessageState state) {
		super("Message '" + messageId + "' was not scheduled, nothing is written: queue '" + queue
				+ "' has a message with this id already, which "
				+ ((state != null) ? "is " + state.name().toLowerCase(Locale.ROOT)
						: "has finished within its de-duplication window")
				+ "; use another id, or another policy than fail", queue, messageId, null);
		this.state = state;
	}

	/**
	 * Returns the state of the existing message with the id.
	 * @return the state at the moment of the call; empty if the message has finished
	 * within its de-duplication window
	 */
	public Optional<MessageState> state() {
		return Optional.ofNullable(this.state);
	}

}
