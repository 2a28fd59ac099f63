package io.delayqueue.listener;

/**
 * An annotated method with its attributes resolved and checked.
 *
 * @param id the id of its container
 * @param queue the queue's name
 * @param sizes how many messages are handled at once and together
 * @param autoStartup whether its container starts with the application
 * @param beans the beans that the annotation names
 * @param method the method on its bean
 */
record DelayedListenerEndpoint(String id, String queue, Sizes sizes, boolean autoStartup, BeanNames beans,
		ListenerMethod method) {

	/** Whether its method takes batches. */
	boolean isBatch() {
		return this.sizes.batches() != null;
	}

}
