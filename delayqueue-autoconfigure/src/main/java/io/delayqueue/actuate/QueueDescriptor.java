package io.delayqueue.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One queue with its partitions.
 *
 * @param name its name
 * @param counts what all of its partitions hold
 * @param partitions each partition, in the order of their numbers
 */
public record QueueDescriptor(String name, @JsonUnwrapped Counts counts,
		List<Partition> partitions) implements OperationResponseBody {

	/**
	 * A partition.
	 *
	 * @param number its number, from 0
	 * @param counts what it holds
	 */
	public record Partition(int number, @JsonUnwrapped Counts counts) {
	}

}
