package io.delayqueue.event;

/**
 * This library has found and repaired messages that were damaged in Redis.
 * {@link MessagesLostEvent} reports messages that could not be repaired.
 *
 * @param queue the queue
 * @param damage the kind of damage
 * @param count the number of messages, 1 or more; a repair of many messages is reported
 * in several events
 */
public record MessagesRepairedEvent(String queue, Damage damage, int count) implements DelayQueueEvent {

	/**
	 * The kinds of damage of a message, and the state of the message after its repair.
	 */
	public enum Damage {

		/**
		 * The message had a record, but was neither scheduled, ready, pending, parked nor
		 * a dead letter; after the repair the message is scheduled for its due time.
		 */
		NO_PLACE,

		/**
		 * The message was in two states, for example scheduled and ready; after the
		 * repair the message is in one state.
		 */
		TWO_PLACES,

		/**
		 * The message was scheduled earlier than its due time; after the repair the
		 * message is scheduled for its due time.
		 */
		EARLY,

		/**
		 * Keys in Redis held obsolete entries of a message; the repair removed these
		 * entries.
		 */
		LEFT_OVER

	}

}
