package io.delayqueue.actuate;

import io.delayqueue.PurgeResult;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What a purge has removed.
 *
 * @param queue the queue's name
 * @param waiting messages that no consumer had
 * @param inFlight messages that a consumer had: its handler may finish, no retry follows
 * @param deadLetters dead letters; 0 unless they were asked for
 */
public record PurgeDescriptor(String queue, long waiting, long inFlight,
		long deadLetters) implements OperationResponseBody {

	static PurgeDescriptor of(PurgeResult result) {
		return new PurgeDescriptor(result.queue(), result.waiting(), result.inFlight(), result.deadLetters());
	}

}
