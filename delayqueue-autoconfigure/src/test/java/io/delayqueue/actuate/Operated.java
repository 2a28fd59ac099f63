package io.delayqueue.actuate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DelayQueueOperatedEvent;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.awaitility.Awaitility.await;

/**
 * What an application is told of those who operate its queues.
 */
class Operated {

	private final List<DelayQueueOperatedEvent> events = new CopyOnWriteArrayList<>();

	@EventListener
	void told(DelayQueueOperatedEvent event) {
		this.events.add(event);
	}

	/** All that was told of a queue. */
	List<DelayQueueOperatedEvent> of(String queue) {
		return this.events.stream().filter((event) -> event.queue().equals(queue)).toList();
	}

	/** The first thing that was told of a queue. */
	DelayQueueOperatedEvent first(String queue) {
		await().until(() -> !of(queue).isEmpty());
		return of(queue).get(0);
	}

	@Configuration(proxyBeanMethods = false)
	static class Told {

		@Bean
		Operated operated() {
			return new Operated();
		}

	}

}
