package io.delayqueue.listener;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The beans that an annotation names.
 *
 * @param executor the executor of the handlers; {@code null} for the consumer's own
 * threads
 * @param errorHandler the error handler; {@code null} if there is none
 * @param interceptors the interceptors, the outermost first
 */
record BeanNames(@Nullable String executor, @Nullable String errorHandler, List<String> interceptors) {

	BeanNames {
		interceptors = List.copyOf(interceptors);
	}

}
