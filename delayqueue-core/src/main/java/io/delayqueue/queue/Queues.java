package io.delayqueue.queue;

/**
 * Finds the settings of a queue by its name. Every valid queue name has settings:
 * settings of its own, or the defaults.
 */
@FunctionalInterface
public interface Queues {

	/**
	 * Returns the settings of a queue.
	 * @param queue the queue's name
	 * @return the settings, always the same for one name
	 */
	QueueSettings settings(String queue);

}
