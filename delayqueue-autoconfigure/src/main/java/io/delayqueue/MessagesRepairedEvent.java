package io.delayqueue;

/**
 * Messages whose keys somebody had damaged in Redis were found and put right. What could
 * not be put right is told by {@link MessagesLostEvent}.
 *
 * @param queue the queue
 * @param damage what was wrong with them
 * @param count how many they are, 1 or more; one repair of many messages is told in
 * several events
 */
public record MessagesRepairedEvent(String queue, Damage damage, int count) implements DelayQueueEvent {

	/** What was wrong with a message, and what it came to. */
	public enum Damage {

		/** It was nowhere but in the records; it is scheduled for its due time. */
		NO_PLACE,

		/** It was in two places; it is in one. */
		TWO_PLACES,

		/** It was scheduled for before its due time; it is scheduled for that. */
		EARLY,

		/** It had left something behind that means nothing; that is gone. */
		LEFT_OVER

	}

}
