package io.delayqueue.observe;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.event.MessageDroppedEvent;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.event.MessageExpiredEvent.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EventQueueObserverTests {

	private static final DelayQueueOperatedEvent PAUSED = new DelayQueueOperatedEvent("reports", Action.PAUSE, null,
			null, "alice", 0, "it is paused");

	@Test
	void expiredDroppedAndOperatedArePublishedAsEvents() {
		List<Object> published = new CopyOnWriteArrayList<>();
		try (EventPublisher events = new EventPublisher(published::add, 0)) {
			QueueObserver observer = new EventQueueObserver(events);

			observer.expired("reports", "r-1", Outcome.HANDED_OVER);
			observer.dropped("reports", "game-7", "r-2");
			observer.operated(PAUSED);

			await().untilAsserted(() -> assertThat(published).containsExactly(
					new MessageExpiredEvent("reports", "r-1", Outcome.HANDED_OVER),
					new MessageDroppedEvent("reports", "game-7", "r-2"), PAUSED));
		}
	}

}
