package io.delayqueue.operate;

import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.store.Inquiries;
import io.delayqueue.store.Partition;
import io.delayqueue.store.QueueDirectory;

/**
 * The partitions that a queue has in Redis, whatever this process is configured to: who
 * operates need not consume.
 *
 * @param directory knows the queues
 * @param inquiries repeats calls
 */
public record KnownPartitions(QueueDirectory directory, Inquiries inquiries) {

	/**
	 * All partitions of a queue.
	 * @throws InvalidMessageException if nobody has ever used it: its name is misspelt,
	 * perhaps
	 */
	List<Partition> of(String queue) {
		String checked = ScheduleRequest.to(queue).queue();
		int partitions = this.inquiries.ask(checked, () -> this.directory.partitions(checked));
		if (partitions == 0) {
			throw new InvalidMessageException("queue", checked,
					"one that a producer or a listener has used with this key prefix");
		}
		return IntStream.range(0, partitions).mapToObj((number) -> new Partition(checked, number)).toList();
	}

}
