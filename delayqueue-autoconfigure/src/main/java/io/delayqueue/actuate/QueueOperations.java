package io.delayqueue.actuate;

import java.util.Set;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.admin.QueueStatus;
import io.delayqueue.operate.RepairService;

/**
 * Operations on a whole queue.
 *
 * @param admin pauses, resumes, drains, reopens and purges
 * @param repairService audits and repairs
 */
record QueueOperations(DelayQueueAdmin admin, RepairService repairService) {

	OperationRecord.Answer pause(String queue, OperationParameters parameters) {
		parameters.only(Set.of());
		return statusAnswer(this.admin.pause(queue), "it is paused");
	}

	OperationRecord.Answer resume(String queue, OperationParameters parameters) {
		parameters.only(Set.of());
		return statusAnswer(this.admin.resume(queue), "it is not paused");
	}

	OperationRecord.Answer drain(String queue, OperationParameters parameters) {
		parameters.only(Set.of());
		return statusAnswer(this.admin.drain(queue), "it is draining");
	}

	OperationRecord.Answer reopen(String queue, OperationParameters parameters) {
		parameters.only(Set.of());
		return statusAnswer(this.admin.reopen(queue), "it accepts messages");
	}

	private static OperationRecord.Answer statusAnswer(QueueStatus status, String outcome) {
		return OperationRecord.several(QueueStatusDescriptor.of(status), 0, outcome);
	}

	OperationRecord.Answer purge(String queue, OperationParameters parameters) {
		parameters.only(Set.of(OperationParameters.CONFIRM, OperationParameters.DEAD_LETTERS));
		String confirm = parameters.text(OperationParameters.CONFIRM);
		if (!queue.equals(confirm)) {
			throw Parameters.invalid(OperationParameters.CONFIRM, confirm, "the name of the queue");
		}
		PurgeResult result = parameters.flag(OperationParameters.DEAD_LETTERS) ? this.admin.purgeWithDeadLetters(queue)
				: this.admin.purge(queue);
		return OperationRecord.several(PurgeDescriptor.of(result), result.total(),
				result.waiting() + " undelivered messages, " + result.inFlight() + " in flight and "
						+ result.deadLetters() + " dead letters were removed");
	}

	OperationRecord.Answer audit(String queue, OperationParameters parameters) {
		parameters.only(Set.of());
		AuditDescriptor audit = AuditDescriptor.of(queue, this.repairService.audit(queue));
		return OperationRecord.several(audit, 0, audit.addsUp() ? "its counts are consistent"
				: audit.partitions().size() + " of its partitions have inconsistent counts");
	}

	OperationRecord.Answer repair(String queue, OperationParameters parameters) {
		parameters.only(Set.of(OperationParameters.FROM));
		RepairDescriptor repair = RepairDescriptor.of(queue,
				this.repairService.repair(queue, parameters.text(OperationParameters.FROM)));
		return OperationRecord.several(repair, repair.repaired(), repair.repaired() + " messages were repaired, "
				+ repair.lost() + " are lost" + ((repair.next() != null) ? ", and more are to be checked" : ""));
	}

}
