package io.delayqueue.outbox.autoconfigure;

import java.time.Duration;

import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import io.delayqueue.outbox.OutboxStatus;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health of the outbox: DOWN while a committed row has waited for more than a minute to
 * be sent to Redis, while the rows cannot be counted, and while the database has not
 * answered a count for more than a minute. Failed rows appear only as a detail, because
 * they wait for an operator and delay no other row.
 */
class OutboxHealthIndicator extends AbstractHealthIndicator {

	private static final Duration TOLERATED = Duration.ofMinutes(1);

	private final DelayQueueOutboxAdmin admin;

	OutboxHealthIndicator(DelayQueueOutboxAdmin admin) {
		super("The rows of the outbox cannot be counted");
		this.admin = admin;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		OutboxStatus status = this.admin.status();
		builder.up().withDetail("pending", status.pending()).withDetail("failed", status.failed());
		if (status.oldest().compareTo(TOLERATED) > 0) {
			builder.down()
				.withDetail("late", "the oldest of " + status.pending() + " rows has not been sent for "
						+ status.oldest().toSeconds()
						+ " s: is Redis unavailable, is its queue draining, or was the transaction itself this long?");
		}
	}

}
