package io.delayqueue.actuate;

import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Mismatch;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Whether the counts of a queue add up. Each partition was counted at one instant. What
 * does not add up once may be what a stopped script has left and somebody will settle;
 * what does not add up twice in a row is damage.
 *
 * @param queue the queue's name
 * @param addsUp whether every partition adds up
 * @param messages records
 * @param partitions the partitions that do not add up
 */
public record AuditDescriptor(String queue, boolean addsUp, long messages,
		List<Partition> partitions) implements OperationResponseBody {

	/**
	 * A partition that does not add up.
	 *
	 * @param number its number
	 * @param messages records
	 * @param scheduled ids that wait, due or not
	 * @param parked ids that are due and wait because their group is full
	 * @param dead dead letters
	 * @param entries ids that are ready or pending
	 * @param ready entries in the stream
	 * @param withoutPlace records without a place; less than 0 for places without a
	 * record, or more than one for a record
	 * @param withoutEntry messages whose entry is not in the stream
	 * @param stranded entries that nobody will deliver
	 */
	public record Partition(int number, long messages, long scheduled, long parked, long dead, long entries, long ready,
			long withoutPlace, long withoutEntry, long stranded) {

		private static Partition of(int number, Counts counts) {
			Mismatch mismatch = counts.mismatch();
			return new Partition(number, counts.messages(), counts.scheduled(), counts.parked(), counts.dead(),
					counts.entries(), counts.ready(), mismatch.withoutPlace(), mismatch.withoutEntry(),
					mismatch.stranded());
		}

	}

	static AuditDescriptor of(String queue, List<Counts> counts) {
		List<Partition> wrong = IntStream.range(0, counts.size())
			.filter((number) -> !counts.get(number).mismatch().isNone())
			.mapToObj((number) -> Partition.of(number, counts.get(number)))
			.toList();
		return new AuditDescriptor(queue, wrong.isEmpty(), counts.stream().mapToLong(Counts::messages).sum(), wrong);
	}

}
