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
		 * dead; it is scheduled for its due time.
		 */
		NO_PLACE,

		/** The message was in two states; it is in one. */
		TWO_PLACES,

		/**
		 * The message was scheduled before its due time; it is scheduled for its due
		 * time.
		 */
		EARLY,

		/** Keys held entries of a message without a meaning; they are removed. */
		LEFT_OVER

	}

}
