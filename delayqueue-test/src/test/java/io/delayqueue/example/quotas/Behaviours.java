package io.delayqueue.example.quotas;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.event.MessageDroppedEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class Behaviours {

	private static final Logger logger = LoggerFactory.getLogger(Behaviours.class);

	private final DelayQueueOperations delayQueue;

	Behaviours(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	ScheduleResult report(String game, Object behaviour) {
		return this.delayQueue
			.schedule(ScheduleRequest.to("report").group(game).payload(behaviour).delay(Duration.ofMinutes(1)));
	}

	@EventListener
	void log(MessageDroppedEvent event) {
		logger.info("'{}' of game '{}' was dropped for a newer one", event.id(), event.group());
	}

}
