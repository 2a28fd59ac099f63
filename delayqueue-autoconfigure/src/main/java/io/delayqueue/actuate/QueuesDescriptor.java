package io.delayqueue.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * All queues.
 *
 * @param queues each queue that has ever been used, in the order of their names
 */
public record QueuesDescriptor(List<Queue> queues) implements OperationResponseBody {

	/**
	 * A queue.
	 *
	 * @param name its name
	 * @param counts what it holds
	 */
	public record Queue(String name, @JsonUnwrapped Counts counts) {
	}

}
