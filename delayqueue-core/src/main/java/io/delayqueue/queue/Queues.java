package io.delayqueue.queue;

/**
 * Finds the settings of a queue by its name. Every valid name has settings: its own ones,
 * or the defaults.
 */
@FunctionalInterface
public interface Queues {

	/**
	 * Returns the settings of a queue.
	 * @param queue the queue's name
	 * @return the settings, the same ones for the same name
	 */
	QueueSettings settings(String queue);

}
