package io.delayqueue.example.timeouts;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleResult.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class RepairService {

	private static final Logger logger = LoggerFactory.getLogger(RepairService.class);

	private final Orders orders;

	private final DelayQueueOperations delayQueue;

	private final Clock clock;

	RepairService(Orders orders, DelayQueueOperations delayQueue, Clock clock) {
		this.orders = orders;
		this.delayQueue = delayQueue;
		this.clock = clock;
	}

	@Scheduled(fixedDelay = 5, timeUnit = TimeUnit.MINUTES)
	void run() {
		List<Order> unpaid = this.orders.unpaidPlacedBefore(this.clock.instant().minus(Duration.ofMinutes(1)), 1000);
		for (ScheduleAnswer answer : this.delayQueue.scheduleAll(unpaid.stream().map(OrderTimeouts::of).toList())) {
			if (answer.isAccepted()) {
				logger.info("Order '{}' had no timeout; it has one now", answer.id());
			}
			else if (answer.result() == null) {
				logger.warn("Order '{}' may have no timeout", answer.id(), answer.failure());
			}
			else if (answer.result().outcome() == Outcome.DEAD_LETTER) {
				logger.error("The timeout of order '{}' is a dead letter: mend its cause and redrive it", answer.id());
			}
		}
	}

}
