package io.delayqueue;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A message as it is delivered to a listener.
 *
 * @param <T> the type of the payload, as declared by the listener
 */
public interface DelayedMessage<T> {

	/**
	 * Returns the name of the queue of the message.
	 * @return the queue's name
	 */
	String queue();

	/**
	 * Returns the id of the message. The id is the same for every delivery of the
	 * message, so a handler can detect a repeated delivery by its id.
	 * @return the id
	 */
	String id();

	/**
	 * {@return the group key of the message, empty if the message has none}
	 */
	Optional<String> group();

	/**
	 * {@return the payload of the message, converted to the declared type}
	 */
	T payload();

	/**
	 * Returns the headers that the message was scheduled with.
	 * @return an immutable map, empty if there are none
	 */
	Map<String, String> headers();

	/**
	 * {@return the due time of the message, by the clock of the Redis master, in whole
	 * milliseconds}
	 */
	Instant dueAt();

	/**
	 * Returns the number of this attempt to handle the message.
	 * @return 1 for the first attempt
	 */
	int attempt();

	/**
	 * Returns the number of failures after which the message is dead-lettered: the
	 * message's own number (see {@link ScheduleRequest#maxAttempts(int)}), else the
	 * queue's. An attempt with this number is the last attempt, provided that no process
	 * crashed while it held the message.
	 * @return 1 or more
	 */
	int maxAttempts();

	/**
	 * Returns whether the message was cancelled (alone or with its group) or purged since
	 * this delivery began, but not whether it was replaced or postponed. A cancelled
	 * message is neither retried nor dead-lettered, whatever its handler does. The
	 * handler of a cancelled message can stop early. A cancellation usually reaches this
	 * process within milliseconds, and at the latest at the next renewal of the lease,
	 * after a third of the visibility timeout. In a batch each message has its own result
	 * of this method.
	 * @return {@code true} as soon as the cancellation has reached this process
	 */
	boolean isCancelled();

	/**
	 * Returns whether this process has lost its lease on the message, because it did not
	 * renew the lease within the visibility timeout. A handler that has lost the lease
	 * should stop and return before any step that cannot be undone. Once this method has
	 * returned {@code true}, the return of the handler does not acknowledge the message.
	 * If no other process has received the message before the handler returns, the
	 * attempt counts as a failure, and the message is retried. In a batch each message
	 * has its own result of this method: a listener that stops before it has handled the
	 * rest of the batch must throw an exception.
	 * @return {@code true} as soon as this process has detected the loss of the lease
	 */
	boolean isLeaseLost();

}
