package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What was done with several dead letters.
 *
 * @param queue their queue
 * @param reason only those with this reason, {@code null} for any
 * @param limit the most of them; if {@code count} has come to it, there may be more
 * @param dryRun whether they were only counted
 * @param count how many were redriven or discarded, or would be; a dry run also counts
 * those whose group is full, which stay dead letters
 */
public record OperatedDeadLettersDescriptor(String queue, @Nullable String reason, int limit, boolean dryRun,
		int count) implements OperationResponseBody {
}
