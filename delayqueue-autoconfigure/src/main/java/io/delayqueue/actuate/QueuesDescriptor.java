package io.delayqueue.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * All queues, or a page of them.
 *
 * @param queues queues that have ever been used, in the order of their names
 * @param next the name of the queue with which the next page begins, to be asked for as
 * parameter {@code from}; {@code null} if there are no more
 */
public record QueuesDescriptor(List<Queue> queues, @Nullable String next) implements OperationResponseBody {

	/**
	 * A queue.
	 *
	 * @param name its name
	 * @param counts what it holds
	 */
	public record Queue(String name, @JsonUnwrapped Counts counts) {
	}

}
