package io.delayqueue;

/**
 * Customizes the containers of all listeners before they start. All beans of this type
 * are called for each container, in their order ({@code @Order}), and once more if its
 * queue has a method for what has expired ({@link DelayedListener#expired()}): what is
 * set then surrounds that method.
 */
@FunctionalInterface
public interface DelayedListenerContainerCustomizer {

	/**
	 * Customizes one container.
	 * @param container what can be customized
	 */
	void customize(Container container);

	/** A container before its start. */
	interface Container {

		/**
		 * The id of the listener.
		 * @return the id, by default the queue's name
		 */
		String id();

		/**
		 * The queue whose messages are handled.
		 * @return the queue's name
		 */
		String queue();

		/**
		 * Whether the listener takes batches. It has neither interceptors nor an error
		 * handler, which are called for one message at a time: to set one stops the start
		 * of the application.
		 * @return {@code true} for {@link DelayedListener#batch()}
		 */
		boolean isBatch();

		/**
		 * Adds an interceptor, within those that were added before and around those that
		 * the listener's annotation names.
		 * @param interceptor the interceptor
		 * @return this container
		 */
		Container interceptor(DelayedListenerInterceptor interceptor);

		/**
		 * Sets the error handler, for a listener whose annotation names none. The last
		 * one that is set counts.
		 * @param errorHandler the error handler
		 * @return this container
		 */
		Container errorHandler(DelayedListenerErrorHandler errorHandler);

	}

}
