package io.delayqueue;

/**
 * Customizes the containers of all listeners before they start. The library calls all
 * beans of this type for each container, in their order ({@code @Order}). If the queue
 * has a method for expired messages ({@link DelayedListener#expired()}), the library
 * calls all customizers once more, for that method.
 */
@FunctionalInterface
public interface DelayedListenerContainerCustomizer {

	/**
	 * Customizes the container of one listener.
	 * @param container the container, before its start
	 */
	void customize(Container container);

	/** The container of a listener, before its start. */
	interface Container {

		/**
		 * {@return the id of the listener, by default the queue's name}
		 */
		String id();

		/**
		 * Returns the queue whose messages the container handles.
		 * @return the queue's name
		 */
		String queue();

		/**
		 * Returns whether the container has a batch listener. A batch listener has no
		 * interceptor and no error handler, because these are called for one message at a
		 * time: a customizer that sets one for a batch listener fails the start of the
		 * application.
		 * @return {@code true} if the listener's annotation has a
		 * {@link DelayedListener#batch()}
		 */
		boolean isBatch();

		/**
		 * Adds an interceptor to the container. The new interceptor is called after the
		 * interceptors that were added before, and before the interceptors that the
		 * listener's annotation names.
		 * @param interceptor the interceptor
		 * @return this container
		 */
		Container interceptor(DelayedListenerInterceptor interceptor);

		/**
		 * Sets the error handler for a listener whose annotation names none. If several
		 * customizers call this method for a container, the last error handler is used.
		 * @param errorHandler the error handler
		 * @return this container
		 */
		Container errorHandler(DelayedListenerErrorHandler errorHandler);

	}

}
