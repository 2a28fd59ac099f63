package io.delayqueue.listener;

import java.time.Duration;
import java.util.List;

import io.delayqueue.delivery.BatchSettings;
import org.jspecify.annotations.Nullable;

/**
 * The resolved attributes of one annotation; invalid attributes are absent.
 *
 * @param queue the queue's name, {@code null} if it is invalid
 * @param id the id, {@code null} if it is invalid
 * @param running how the listener runs
 * @param batching the batch attributes
 * @param autoStartup whether the container starts with the application
 * @param beans the beans that the annotation names
 * @param expired whether the method handles expired messages
 */
record Attributes(@Nullable String queue, @Nullable String id, Running running, Batching batching, boolean autoStartup,
		Beans beans, boolean expired) {

	/**
	 * How a listener runs.
	 *
	 * @param concurrency the concurrency, {@code null} if none is set
	 * @param timeout the timeout, {@code null} if none is set
	 * @param interruptible whether a cancellation interrupts the method
	 */
	record Running(@Nullable Integer concurrency, @Nullable Duration timeout, boolean interruptible) {

		static final Running NONE = new Running(null, null, false);

	}

	/**
	 * The batch attributes.
	 *
	 * @param enabled whether the listener is a batch listener
	 * @param settings the settings; {@code null} if batches are not enabled or an
	 * attribute is invalid
	 */
	record Batching(boolean enabled, @Nullable BatchSettings settings) {

		static final Batching NONE = new Batching(false, null);

	}

	/**
	 * The names of beans.
	 *
	 * @param executor the executor of the handlers; {@code null} for the consumer's own
	 * threads
	 * @param errorHandler the error handler; {@code null} if there is none
	 * @param interceptors the interceptors, the outermost first
	 */
	record Beans(@Nullable String executor, @Nullable String errorHandler, List<String> interceptors) {

		Beans {
			interceptors = List.copyOf(interceptors);
		}

	}

}
