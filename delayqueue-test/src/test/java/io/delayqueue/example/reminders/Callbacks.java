package io.delayqueue.example.reminders;

import java.time.Duration;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.RetryAfterException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.event.MessageDeadLetteredEvent;
import io.delayqueue.example.reminders.Callbacks.Partner.Answer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class Callbacks {

	private static final Logger logger = LoggerFactory.getLogger(Callbacks.class);

	private final DelayQueueOperations delayQueue;

	private final DelayQueueAdmin admin;

	private final Partner partner;

	Callbacks(DelayQueueOperations delayQueue, DelayQueueAdmin admin, Partner partner) {
		this.delayQueue = delayQueue;
		this.admin = admin;
		this.partner = partner;
	}

	void start(Callback callback) {
		this.delayQueue.schedule(ScheduleRequest.to("callbacks")
			.id(callback.id())
			.payload(callback)
			.delay(Duration.ZERO)
			.maxAttempts(10)
			.backOff(BackOffPolicy.linear(Duration.ofMinutes(1), Duration.ofMinutes(2))));
	}

	@DelayedListener(queue = "callbacks")
	void call(DelayedMessage<Callback> message) {
		Answer answer = this.partner.call(message.payload(), message.id());
		switch (answer.status()) {
			case 200 -> logger.debug("'{}' was delivered at attempt {}", message.id(), message.attempt());
			case 429 -> throw new RetryAfterException(answer.retryAfter(), "is overloaded");
			case 400 -> throw new IllegalArgumentException("rejects this callback");
			default -> throw new IllegalStateException("answered " + answer.status());
		}
	}

	@EventListener(condition = "#event.queue == 'callbacks'")
	void alert(MessageDeadLetteredEvent event) {
		logger.error("Callback '{}' is a dead letter: {}", event.id(), event.reason());
	}

	int again() {
		return this.admin.redrive(DeadLetterSelection.of("callbacks")
			.because("HANDLER_FAILED")
			.atMost(100_000)
			.spreadOver(Duration.ofMinutes(5)));
	}

	record Callback(String id, String text) {
	}

	interface Partner {

		Answer call(Callback callback, String idempotencyKey);

		record Answer(int status, Duration retryAfter) {
		}

	}

}
