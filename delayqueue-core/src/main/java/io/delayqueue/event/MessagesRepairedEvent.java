package io.delayqueue.event;

/**
 * Messages with damaged keys in Redis were found and repaired. {@link MessagesLostEvent}
 * reports messages that could not be repaired.
 *
 * @param queue the queue
 * @param damage the damage
 * @param count the number of messages, 1 or more; a repair of many messages is reported
 * in several events
 */
public record MessagesRepairedEvent(String queue, Damage damage, int count) implements DelayQueueEvent {

	/** The damage of a message, and the state after its repair. */
	public enum Damage {

		/**
		 * The message had a record, but was neither scheduled, ready, pending, parked nor
		 * dead; after the repair the message is scheduled for its due time.
		 */
		NO_PLACE,

		/** The message was in two states; after the repair it is in one state. */
		TWO_PLACES,

		/**
		 * The message had an earlier delivery time than its due time; after the repair it
		 * is scheduled for its due time.
		 */
		EARLY,

		/** Keys held obsolete entries of a message; the repair removed them. */
		LEFT_OVER

	}

}
