package io.delayqueue.listener;

import org.jspecify.annotations.Nullable;

/**
 * An annotated method with its attributes resolved and checked.
 *
 * @param id the id of its container
 * @param queue the queue's name
 * @param sizes how many messages are handled at once and together
 * @param autoStartup whether its container starts with the application
 * @param beans the beans that the annotation names
 * @param method the method on its bean
 * @param expired the method that takes what has expired, with the beans that its own
 * annotation names and all else as it is here; {@code null} if there is none
 */
record DelayedListenerEndpoint(String id, String queue, Sizes sizes, boolean autoStartup, BeanNames beans,
		ListenerMethod method, @Nullable DelayedListenerEndpoint expired) {

	/** This endpoint with a method for what has expired. */
	DelayedListenerEndpoint with(BeanNames beans, ListenerMethod method) {
		DelayedListenerEndpoint other = new DelayedListenerEndpoint(this.id, this.queue, Sizes.ONE_BY_ONE,
				this.autoStartup, beans, method, null);
		return new DelayedListenerEndpoint(this.id, this.queue, this.sizes, this.autoStartup, this.beans, this.method,
				other);
	}

	/** Whether its method takes batches. */
	boolean isBatch() {
		return this.sizes.batches() != null;
	}

}
