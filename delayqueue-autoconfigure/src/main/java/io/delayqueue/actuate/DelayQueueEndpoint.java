package io.delayqueue.actuate;

import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.actuate.QueuesDescriptor.Queue;
import io.delayqueue.store.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.Snapshots;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import io.delayqueue.store.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Actuator endpoint that shows what the queues hold: every queue that has ever been used
 * under this key prefix, also those that only other applications use. Never shows a
 * message. Safe for use by several threads.
 *
 * <p>
 * A call asks Redis once for the names of the queues and once for each partition that it
 * shows; it never searches for keys.
 */
@Endpoint(id = "delayqueue", defaultAccess = Access.READ_ONLY)
public final class DelayQueueEndpoint {

	private final QueueDirectory directory;

	private final Snapshots snapshots;

	/**
	 * Creates the endpoint.
	 * @param directory knows the queues
	 * @param snapshots counts what they hold
	 */
	public DelayQueueEndpoint(QueueDirectory directory, Snapshots snapshots) {
		this.directory = directory;
		this.snapshots = snapshots;
	}

	/**
	 * All queues.
	 * @return what they hold
	 * @throws StoreException if Redis does not answer
	 */
	@ReadOperation
	public QueuesDescriptor queues() {
		List<Queue> queues = this.directory.all()
			.entrySet()
			.stream()
			.map((known) -> new Queue(known.getKey(), Counts.of(count(known.getKey(), known.getValue()))))
			.toList();
		return new QueuesDescriptor(queues);
	}

	/**
	 * One queue.
	 * @param queue the queue's name
	 * @return what it and each of its partitions hold, or {@code null} if no queue of
	 * that name has ever been used
	 * @throws StoreException if Redis does not answer
	 */
	@ReadOperation
	public @Nullable QueueDescriptor queue(@Selector String queue) {
		Integer partitions = this.directory.all().get(queue);
		if (partitions == null) {
			return null;
		}
		List<PartitionSnapshot> counted = count(queue, partitions);
		return new QueueDescriptor(queue, Counts.of(counted),
				IntStream.range(0, counted.size())
					.mapToObj((number) -> new QueueDescriptor.Partition(number, Counts.of(counted.get(number))))
					.toList());
	}

	private List<PartitionSnapshot> count(String queue, int partitions) {
		return IntStream.range(0, partitions)
			.mapToObj((number) -> this.snapshots.of(new Partition(queue, number)))
			.toList();
	}

}
