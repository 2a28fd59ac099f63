package io.delayqueue.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A page of queues.
 *
 * @param queues the queues, sorted by name; a queue exists from its first use
 * @param next the parameter {@code from} of the next page, which is the name of its first
 * queue; {@code null} after the last page
 */
public record QueuesDescriptor(List<Queue> queues, @Nullable String next) implements OperationResponseBody {

	/**
	 * A queue.
	 *
	 * @param name its name
	 * @param counts its counts
	 */
	public record Queue(String name, @JsonUnwrapped Counts counts) {
	}

}
