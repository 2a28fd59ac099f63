package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of an operation on several dead letters.
 *
 * @param queue their queue
 * @param reason only those with this reason, {@code null} for any
 * @param limit the maximum number of them; if {@code count} equals it, there may be more
 * @param dryRun whether they were only counted
 * @param count how many were redriven or discarded, or would be; a dry run also counts
 * those whose group has reached its quota, which would remain dead letters
 */
public record OperatedDeadLettersDescriptor(String queue, @Nullable String reason, int limit, boolean dryRun,
		int count) implements OperationResponseBody {
}
