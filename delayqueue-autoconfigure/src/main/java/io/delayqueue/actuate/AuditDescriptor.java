package io.delayqueue.actuate;

import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Mismatch;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Reports whether the counts of a queue are consistent. Each partition is counted at one
 * instant. A single mismatch may come from an interrupted script and disappear when the
 * message is settled; two mismatches in a row are damage.
 *
 * @param queue the queue's name
 * @param addsUp whether every partition is consistent
 * @param messages the number of records
 * @param partitions the inconsistent partitions
 */
public record AuditDescriptor(String queue, boolean addsUp, long messages,
		List<Partition> partitions) implements OperationResponseBody {

	/**
	 * An inconsistent partition.
	 *
	 * @param number its number
	 * @param messages the number of records
	 * @param scheduled scheduled ids, due or not
	 * @param parked due ids that are kept aside because their group is at its limit
	 * @param dead dead letters
	 * @param entries ids that are ready or pending
	 * @param ready entries in the stream
	 * @param withoutPlace records that are neither scheduled, parked, ready, pending nor
	 * dead; negative if ids have no record or are in several of these states
	 * @param withoutEntry messages whose entry is not in the stream
	 * @param stranded entries that no consumer will receive
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
		List<Partition> inconsistent = IntStream.range(0, counts.size())
			.filter((number) -> !counts.get(number).mismatch().isNone())
			.mapToObj((number) -> Partition.of(number, counts.get(number)))
			.toList();
		return new AuditDescriptor(queue, inconsistent.isEmpty(), counts.stream().mapToLong(Counts::messages).sum(),
				inconsistent);
	}

}
