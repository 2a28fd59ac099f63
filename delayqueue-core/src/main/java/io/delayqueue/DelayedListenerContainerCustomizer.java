package io.delayqueue;

/**
 * Customizes the containers of all listeners before they start. All beans of this type
 * are called for each container, in their order ({@code @Order}). If the queue has a
 * method for expired messages ({@link DelayedListener#expired()}), the beans are called
 * once more, for that method.
 */
@FunctionalInterface
public interface DelayedListenerContainerCustomizer {

	/**
	 * Customizes one container.
	 * @param container the container
	 */
	void customize(Container container);

	/** A container before its start. */
	interface Container {

		/**
		 * Returns the id of the listener.
		 * @return the id, by default the queue's name
		 */
		String id();

		/**
		 * Returns the queue whose messages are handled.
		 * @return the queue's name
		 */
		String queue();

		/**
		 * Returns whether this is a batch listener. Interceptors and error handlers are
		 * called for one message at a time, so a batch listener has none: setting one
		 * fails the start of the application.
		 * @return {@code true} for {@link DelayedListener#batch()}
		 */
		boolean isBatch();

		/**
		 * Adds an interceptor: inside the interceptors that were added before, and
		 * outside of those that the listener's annotation names.
		 * @param interceptor the interceptor
		 * @return this container
		 */
		Container interceptor(DelayedListenerInterceptor interceptor);

		/**
		 * Sets the error handler for a listener whose annotation names none. The last
		 * call takes effect.
		 * @param errorHandler the error handler
		 * @return this container
		 */
		Container errorHandler(DelayedListenerErrorHandler errorHandler);

	}

}
