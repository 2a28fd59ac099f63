package io.delayqueue.example.readme;

import java.time.Duration;

import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueStatus;

import org.springframework.stereotype.Component;

@Component
class Operator {

	private final DelayQueueAdmin admin;

	Operator(DelayQueueAdmin admin) {
		this.admin = admin;
	}

	DeadLetterPage deadLetters() {
		return this.admin.deadLetters("order-timeout", null, 100);
	}

	int redrive() {
		return this.admin.redrive(
				DeadLetterSelection.of("order-timeout").because("HANDLER_FAILED").spreadOver(Duration.ofMinutes(5)));
	}

	QueueStatus pause() {
		return this.admin.pause("order-timeout");
	}

	QueueHold hold() {
		return this.admin.hold("order-timeout", Duration.ofMinutes(30), "the shop is being updated");
	}

	QueueStatus drain() {
		return this.admin.drain("order-timeout");
	}

	PurgeResult purge() {
		return this.admin.purge("order-timeout");
	}

}
