package io.delayqueue.example.shop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.delayqueue.BatchFailedException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;

import org.springframework.stereotype.Component;

@Component
public class ShopListeners {

	private final DelayQueueOperations queues;

	private final Mailer mailer;

	ShopListeners(DelayQueueOperations queues, Mailer mailer) {
		this.queues = queues;
		this.mailer = mailer;
	}

	@DelayedListener(queue = "orders")
	void closeUnpaid(String order) {
		this.mailer.send("closed " + order);
	}

	@DelayedListener(queue = "reminders")
	void remind(DelayedMessage<Integer> reminder) {
		int number = reminder.payload();
		this.mailer.send("reminder " + number);
		if (number < 10) {
			this.queues.schedule(ScheduleRequest.to("reminders")
				.id("r-" + (number + 1))
				.payload(number + 1)
				.dueAt(reminder.dueAt().plus(Duration.ofDays(1))));
		}
	}

	@DelayedListener(queue = "callbacks")
	void call(String callback) {
		throw new IllegalStateException("The partner is not there");
	}

	@DelayedListener(queue = "invoices")
	CompletionStage<Void> print(String invoice) {
		return CompletableFuture.runAsync(() -> {
			throw new IllegalStateException("The printer is out of paper");
		});
	}

	@DelayedListener(queue = "labels", batch = "2", batchWait = "20ms")
	CompletionStage<Void> stick(List<DelayedMessage<String>> labels) {
		return CompletableFuture.runAsync(() -> {
			BatchFailedException failed = new BatchFailedException();
			labels.stream()
				.filter((label) -> label.payload().equals("torn"))
				.forEach((label) -> failed.failed(label.id(), new IllegalStateException("It is torn")));
			failed.throwIfAny();
		});
	}

	@DelayedListener(queue = "reports", batch = "3", batchWait = "20ms")
	void report(List<String> reports) {
		this.mailer.send(String.join("+", reports));
	}

}
