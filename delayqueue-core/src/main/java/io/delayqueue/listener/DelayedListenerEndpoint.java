package io.delayqueue.listener;

import org.jspecify.annotations.Nullable;

/**
 * The model of an annotated method, with resolved and checked attributes.
 *
 * @param id the id of its container
 * @param queue the queue's name
 * @param sizes the concurrency and the batch settings
 * @param autoStartup whether its container starts with the application
 * @param beans the beans that the annotation names
 * @param method the method on its bean
 * @param expired the endpoint of the method for expired messages, which has its own
 * method and beans; {@code null} if there is none
 */
record DelayedListenerEndpoint(String id, String queue, Sizes sizes, boolean autoStartup, BeanNames beans,
		ListenerMethod method, @Nullable DelayedListenerEndpoint expired) {

	/** This endpoint with a method for expired messages. */
	DelayedListenerEndpoint with(BeanNames beans, ListenerMethod method) {
		DelayedListenerEndpoint other = new DelayedListenerEndpoint(this.id, this.queue, Sizes.ONE_BY_ONE,
				this.autoStartup, beans, method, null);
		return new DelayedListenerEndpoint(this.id, this.queue, this.sizes, this.autoStartup, this.beans, this.method,
				other);
	}

	/** Whether the method is a batch listener. */
	boolean isBatch() {
		return this.sizes.batches() != null;
	}

}
