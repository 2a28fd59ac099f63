package io.delayqueue.delivery;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.Holds;
import org.jspecify.annotations.Nullable;

/**
 * Gives messages back to the queue if their group is held: a hold stops the delivery of a
 * group until a time. This class gives back messages that a consumer has read from one
 * partition and that no handler has begun. If the group was held before the read,
 * {@link DeliveryReceiver} gives its messages back. Used only by the task of the
 * {@link PartitionReader}.
 */
final class GroupHolds {

	private final PartitionState partition;

	private final Holds holds;

	private final Dispatcher dispatcher;

	GroupHolds(PartitionState partition, Holds holds, Dispatcher dispatcher) {
		this.partition = partition;
		this.holds = holds;
		this.dispatcher = dispatcher;
	}

	/**
	 * If the last sweep has reported holds in the partition, asks Redis which groups of
	 * unstarted messages are held. Releases the unstarted messages of the held groups.
	 * @param read the messages that a call to Redis has delivered, without those that the
	 * call has marked as held
	 * @param swept the reply of the sweep that was made in or after the call that
	 * delivered the messages, {@code null} if there was no sweep
	 * @param isLater whether the sweep came after the call that read these messages
	 */
	void check(List<DeliveryTask> read, @Nullable Swept swept, boolean isLater) {
		this.partition.notHeld(read);
		if (swept == null) {
			return;
		}
		List<String> groups = (swept.heldMillis() == 0 || swept.read().isStopped()) ? List.of()
				: Stream.concat(isLater ? read.stream() : Stream.of(), unstarted())
					.map(DeliveryTask::group)
					.filter(Objects::nonNull)
					.distinct()
					.toList();
		if (groups.isEmpty()) {
			this.partition.hold(Map.of());
			return;
		}
		Map<String, Long> held = new HashMap<>();
		long now = System.nanoTime();
		this.holds.ends(this.partition.partition(), groups).forEach((group, endMillis) -> {
			long left = endMillis - swept.read().nowMicros() / 1000;
			if (left > 0) {
				held.put(group, now + TimeUnit.MILLISECONDS.toNanos(Math.min(left, TimeUnit.DAYS.toMillis(1))));
			}
		});
		this.partition.hold(held);
		if (!held.isEmpty()) {
			this.dispatcher.releaseUnstarted(
					(task) -> task.partition().equals(this.partition.partition()) && this.partition.holds(task));
		}
	}

	private Stream<DeliveryTask> unstarted() {
		return this.partition.held().stream().filter((task) -> task.stage() == Stage.UNSTARTED);
	}

}
