package io.delayqueue.actuate;

import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.operate.RepairService;
import io.delayqueue.operate.RepairService.Repaired;
import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Mismatch;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Audits and repairs a queue.
 *
 * @param repairService audits and repairs queues
 */
record RepairOperations(RepairService repairService) {

	/**
	 * The result of an audit: whether the counts of a queue are consistent. The audit
	 * counts the data of each partition at one instant. A script that was interrupted may
	 * cause a mismatch, which disappears when the message of this script is settled. If
	 * two audits in a row find a mismatch, keys of the partition are damaged.
	 *
	 * @param queue the queue's name
	 * @param addsUp whether the counts of every partition are consistent
	 * @param messages the number of records
	 * @param partitions the inconsistent partitions
	 */
	public record AuditDescriptor(String queue, boolean addsUp, long messages,
			List<Partition> partitions) implements OperationResponseBody {

		/**
		 * An inconsistent partition.
		 *
		 * @param number the position of the partition among the partitions of all epochs,
		 * the oldest epoch first, from 0
		 * @param messages the number of records
		 * @param scheduled the number of scheduled ids, due or not
		 * @param parked the number of due ids that wait because their group is at a limit
		 * or held
		 * @param dead the number of dead letters
		 * @param entries the number of ids that are ready or pending
		 * @param ready the number of entries in the stream
		 * @param withoutPlace the number of records of messages that are neither
		 * scheduled, parked, ready, pending nor dead; negative if ids have no record or
		 * are in several of these states
		 * @param withoutEntry the number of ready or pending messages whose entry is not
		 * in the stream
		 * @param stranded the number of stream entries that no consumer will receive
		 */
		public record Partition(int number, long messages, long scheduled, long parked, long dead, long entries,
				long ready, long withoutPlace, long withoutEntry, long stranded) {

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

	/**
	 * The result of a repair.
	 *
	 * @param queue the queue's name
	 * @param noPlace the number of messages that had a record and were in no state; the
	 * repair has scheduled these messages for their due times
	 * @param twoPlaces the number of messages that were in two states; after the repair
	 * these messages are in one state
	 * @param early the number of messages that were scheduled for an earlier time than
	 * their due times
	 * @param leftOver the number of ids whose obsolete data the repair has removed
	 * @param lost the number of ids without a record, which cannot be repaired; the log
	 * contains these ids
	 * @param next the parameter {@code from} that continues the repair, {@code null} if
	 * every id was checked
	 */
	public record RepairDescriptor(String queue, int noPlace, int twoPlaces, int early, int leftOver, int lost,
			@Nullable String next) implements OperationResponseBody {

		static RepairDescriptor of(String queue, Repaired repaired) {
			return new RepairDescriptor(queue, repaired.count(Damage.NO_PLACE), repaired.count(Damage.TWO_PLACES),
					repaired.count(Damage.EARLY), repaired.count(Damage.LEFT_OVER), repaired.count(Damage.LOST),
					repaired.next());
		}

		int repaired() {
			return this.noPlace + this.twoPlaces + this.early + this.leftOver;
		}

	}

	OperationResult audit(String queue) {
		AuditDescriptor audit = AuditDescriptor.of(queue, this.repairService.audit(queue));
		return new OperationResult(audit, null, 0, audit.addsUp() ? "the counts of the queue are consistent"
				: audit.partitions().size() + " partitions of the queue have inconsistent counts");
	}

	OperationResult repair(String queue, Parameters parameters) {
		RepairDescriptor repair = RepairDescriptor.of(queue, this.repairService.repair(queue, parameters.text("from")));
		return new OperationResult(repair, null, repair.repaired(), repair.repaired() + " messages were repaired, "
				+ repair.lost() + " are lost" + ((repair.next() != null) ? ", and more are to be checked" : ""));
	}

}
