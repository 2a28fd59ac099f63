package io.delayqueue.queue;

/**
 * Finds the settings of a queue by its name. Any valid name has settings: its own
 * overrides, or the defaults.
 */
@FunctionalInterface
public interface Queues {

	/**
	 * The settings of a queue.
	 * @param queue the queue's name
	 * @return its settings, the same ones for the same name
	 */
	QueueSettings settings(String queue);

}
