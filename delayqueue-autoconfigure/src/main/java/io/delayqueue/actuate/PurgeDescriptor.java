package io.delayqueue.actuate;

import io.delayqueue.admin.PurgeResult;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of a purge.
 *
 * @param queue the queue's name
 * @param waiting removed messages that were not delivered
 * @param inFlight removed messages that were delivered: their handlers may finish, no
 * retry follows
 * @param deadLetters removed dead letters; 0 unless they were requested
 */
public record PurgeDescriptor(String queue, long waiting, long inFlight,
		long deadLetters) implements OperationResponseBody {

	static PurgeDescriptor of(PurgeResult result) {
		return new PurgeDescriptor(result.queue(), result.waiting(), result.inFlight(), result.deadLetters());
	}

}
