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
 * Gives back to the queue the messages of held groups that a consumer has read from one
 * partition and not begun. Messages of groups that were held before their read are given
 * back by the read itself. Confined to the reader's loop.
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
	 * Reads from Redis which groups of unstarted messages are held, if the partition has
	 * holds, and releases their messages.
	 * @param read the messages of a call; the call has marked the messages of held groups
	 * @param swept the last sweep, {@code null} if there was none
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
