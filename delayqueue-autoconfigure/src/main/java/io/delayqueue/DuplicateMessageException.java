package io.delayqueue;

import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A message was not scheduled, because its id is known and the request says
 * {@link DuplicatePolicy#fail()}: nothing was written.
 */
public final class DuplicateMessageException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final @Nullable MessageState state;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id
	 * @param state where the known message is, {@code null} if it has finished within its
	 * de-duplication window
	 */
	public DuplicateMessageException(String queue, String messageId, @Nullable MessageState state) {
		super("Message '" + messageId + "' was not scheduled, nothing is written: queue '" + queue
				+ "' knows a message of this id, which "
				+ ((state != null) ? "is " + state.name().toLowerCase(Locale.ROOT)
						: "has finished within its de-duplication window")
				+ "; use another id, or another policy than fail", queue, messageId, null);
		this.state = state;
	}

	/**
	 * Where the known message is.
	 * @return its state at the moment of the call; empty if it has finished within its
	 * de-duplication window
	 */
	public Optional<MessageState> state() {
		return Optional.ofNullable(this.state);
	}

}
