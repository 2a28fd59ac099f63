package io.delayqueue.actuate;

import java.util.Set;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.PurgeResult;
import io.delayqueue.QueueStatus;
import io.delayqueue.operate.RepairService;

/**
 * What can be done with a queue as a whole.
 *
 * @param admin pauses, resumes, drains, reopens and purges
 * @param repairService audits and repairs
 */
record QueueWork(DelayQueueAdmin admin, RepairService repairService) {

	Deed.Answer pause(String queue, Instructions instructions) {
		instructions.only(Set.of());
		return steered(this.admin.pause(queue), "it is paused");
	}

	Deed.Answer resume(String queue, Instructions instructions) {
		instructions.only(Set.of());
		return steered(this.admin.resume(queue), "it is not paused");
	}

	Deed.Answer drain(String queue, Instructions instructions) {
		instructions.only(Set.of());
		return steered(this.admin.drain(queue), "it is draining");
	}

	Deed.Answer reopen(String queue, Instructions instructions) {
		instructions.only(Set.of());
		return steered(this.admin.reopen(queue), "it accepts messages");
	}

	private static Deed.Answer steered(QueueStatus status, String outcome) {
		return Deed.several(QueueStatusDescriptor.of(status), 0, outcome);
	}

	Deed.Answer purge(String queue, Instructions instructions) {
		instructions.only(Set.of(Instructions.CONFIRM, Instructions.DEAD_LETTERS));
		String confirm = instructions.text(Instructions.CONFIRM);
		if (!queue.equals(confirm)) {
			throw Parameters.invalid(Instructions.CONFIRM, confirm, "the name of the queue");
		}
		PurgeResult result = instructions.flag(Instructions.DEAD_LETTERS) ? this.admin.purgeWithDeadLetters(queue)
				: this.admin.purge(queue);
		return Deed.several(PurgeDescriptor.of(result), result.total(), result.waiting() + " messages that waited, "
				+ result.inFlight() + " in flight and " + result.deadLetters() + " dead letters were removed");
	}

	Deed.Answer audit(String queue, Instructions instructions) {
		instructions.only(Set.of());
		AuditDescriptor audit = AuditDescriptor.of(queue, this.repairService.audit(queue));
		return Deed.several(audit, 0,
				audit.addsUp() ? "it adds up" : audit.partitions().size() + " of its partitions do not add up");
	}

	Deed.Answer repair(String queue, Instructions instructions) {
		instructions.only(Set.of(Instructions.FROM));
		RepairDescriptor repair = RepairDescriptor.of(queue,
				this.repairService.repair(queue, instructions.text(Instructions.FROM)));
		return Deed.several(repair, repair.repaired(), repair.repaired() + " messages were put right, " + repair.lost()
				+ " are lost" + ((repair.next() != null) ? ", and more are to be looked at" : ""));
	}

}
