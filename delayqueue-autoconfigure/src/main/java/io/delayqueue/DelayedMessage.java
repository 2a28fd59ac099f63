package io.delayqueue;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A message as its listener sees it.
 *
 * @param <T> the type of the payload, as declared by the listener
 */
public interface DelayedMessage<T> {

	/**
	 * The queue that the message was scheduled for.
	 * @return the queue's name
	 */
	String queue();

	/**
	 * The id of the message: the same for every delivery, so a handler can recognise a
	 * repetition by it.
	 * @return the id
	 */
	String id();

	/**
	 * The group key that the message was scheduled with.
	 * @return the group key, or empty if it has none
	 */
	Optional<String> group();

	/**
	 * The payload.
	 * @return the payload, converted to the declared type
	 */
	T payload();

	/**
	 * The headers that the message was scheduled with.
	 * @return an immutable map, empty if there are none
	 */
	Map<String, String> headers();

	/**
	 * The instant at which the message was due, by the clock of the Redis master, in
	 * whole milliseconds.
	 * @return the due time
	 */
	Instant dueAt();

	/**
	 * The number of this delivery.
	 * @return 1 for the first one
	 */
	int attempt();

	/**
	 * After how many failures the message is set aside: the message's own number (see
	 * {@link ScheduleRequest#maxAttempts(int)}), else the queue's. A handler can tell the
	 * last attempt by it, as long as no process has crashed.
	 * @return 1 or more
	 */
	int maxAttempts();

	/**
	 * Whether this process has lost the message to another one, because it did not renew
	 * its lease within the visibility timeout. A handler that has not yet done what
	 * cannot be undone should stop and return: once it was told, its return does not
	 * acknowledge the message. If the message has not been given to another process yet,
	 * the return counts as a failure, and the message is tried again. In a batch this is
	 * about this one message: a listener that stops before the others are done throws.
	 * @return {@code true} from the moment the loss is known
	 */
	boolean isLeaseLost();

}
