package io.delayqueue.actuate;

import java.time.Instant;

import io.delayqueue.admin.QueueStatus;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Whether a queue is paused or draining.
 *
 * @param queue the queue's name
 * @param paused whether no message of it is delivered
 * @param pausedSince since when, {@code null} if it is not paused
 * @param draining whether it accepts no new messages
 * @param drainingSince since when, {@code null} if it is not draining
 */
public record QueueStatusDescriptor(String queue, boolean paused, @Nullable Instant pausedSince, boolean draining,
		@Nullable Instant drainingSince) implements OperationResponseBody {

	static QueueStatusDescriptor of(QueueStatus status) {
		return new QueueStatusDescriptor(status.queue(), status.isPaused(), status.pausedSince(), status.isDraining(),
				status.drainingSince());
	}

}
