package io.delayqueue.listener;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The beans that an annotation names.
 *
 * @param executor what runs the handlers; {@code null} for threads of the consumer's own
 * @param errorHandler decides about failures; {@code null} if there is none
 * @param interceptors surround the handling, the outermost first
 */
record BeanNames(@Nullable String executor, @Nullable String errorHandler, List<String> interceptors) {

	BeanNames {
		interceptors = List.copyOf(interceptors);
	}

}
