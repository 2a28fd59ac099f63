package io.delayqueue.delivery;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.delayqueue.BatchFailedException;
import org.jspecify.annotations.Nullable;

/**
 * What the end of a handler says of each message of its batch.
 *
 * @param ofAll what all of them have failed of, {@code null} if they have not
 * @param byId what some of them have failed of
 */
record BatchOutcome(@Nullable Throwable ofAll, Map<String, Throwable> byId) {

	static BatchOutcome of(List<DeliveryTask> tasks, @Nullable Throwable failure) {
		if (!(failure instanceof BatchFailedException some)) {
			return new BatchOutcome(failure, Map.of());
		}
		Map<String, Throwable> byId = some.failures();
		if (byId.isEmpty()) {
			return new BatchOutcome(failure, byId);
		}
		Set<String> known = tasks.stream().map(DeliveryTask::id).collect(Collectors.toSet());
		return byId.keySet()
			.stream()
			.filter((id) -> !known.contains(id))
			.findFirst()
			.map((unknown) -> new BatchOutcome(
					new IllegalStateException("The BatchFailedException of the listener names message '" + unknown
							+ "', which is not in its batch: so the whole batch counts as failed", some),
					Map.of()))
			.orElseGet(() -> new BatchOutcome(null, byId));
	}

	@Nullable Throwable failureOf(DeliveryTask task) {
		return (this.ofAll != null) ? this.ofAll : this.byId.get(task.id());
	}

}
