package io.delayqueue.example.batches;

import java.time.Duration;
import java.util.List;

import io.delayqueue.BatchFailedException;
import io.delayqueue.DeferException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.example.batches.BatchListeners.Gateway.GatewayAwayException;
import io.delayqueue.example.batches.BatchListeners.Gateway.Receipt;

import org.springframework.stereotype.Component;

@Component
class BatchListeners {

	private final Table table;

	private final Mailer mailer;

	private final Gateway gateway;

	BatchListeners(Table table, Mailer mailer, Gateway gateway) {
		this.table = table;
		this.mailer = mailer;
		this.gateway = gateway;
	}

	@DelayedListener(queue = "visits", batch = "100", batchWait = "200ms")
	void store(List<Visit> visits) {
		this.table.insertAll(visits);
	}

	@DelayedListener(queue = "digest", batch = "50", batchWait = "1s", groupBy = true)
	void send(List<DelayedMessage<String>> lines) {
		String user = lines.get(0).group().orElseThrow();
		this.mailer.send(user, lines.stream().map(DelayedMessage::payload).toList());
	}

	@DelayedListener(queue = "push", batch = "100")
	void push(List<DelayedMessage<Push>> pushes) {
		BatchFailedException failed = new BatchFailedException();
		try {
			for (Receipt receipt : this.gateway.push(pushes)) {
				if (!receipt.isAccepted()) {
					failed.failed(receipt.id(), new IllegalStateException(receipt.reason()));
				}
			}
		}
		catch (GatewayAwayException ex) {
			throw new DeferException(Duration.ofMinutes(1));
		}
		failed.throwIfAny();
	}

	record Visit(String page) {
	}

	record Push(String device, String text) {
	}

	interface Table {

		void insertAll(List<Visit> visits);

	}

	interface Mailer {

		void send(String user, List<String> lines);

	}

	interface Gateway {

		List<Receipt> push(List<DelayedMessage<Push>> pushes);

		record Receipt(String id, boolean isAccepted, String reason) {
		}

		final class GatewayAwayException extends RuntimeException {

			private static final long serialVersionUID = 1L;

		}

	}

}
