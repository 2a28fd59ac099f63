package io.delayqueue.observe;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.event.LeaseLostEvent;
import io.delayqueue.event.MessageDroppedEvent;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.event.MessageExpiredEvent.Outcome;
import io.delayqueue.event.QueueHeldEvent;
import io.delayqueue.event.QueueReleasedEvent;
import io.delayqueue.store.StoredId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EventPublisherTests {

	private static final int PHASE = 7;

	private final List<Object> published = new CopyOnWriteArrayList<>();

	private final CountDownLatch go = new CountDownLatch(1);

	private final Set<Thread> before = threads();

	private final CountDownLatch begun = new CountDownLatch(1);

	private final EventPublisher waiting = new EventPublisher((event) -> {
		this.begun.countDown();
		join(this.go);
		this.published.add(event);
	}, PHASE);

	@AfterEach
	void close() {
		this.go.countDown();
		this.waiting.close();
	}

	@Test
	void expiredDroppedHeldAndOperatedArePublishedAsEvents() {
		DelayQueueOperatedEvent paused = new DelayQueueOperatedEvent("reports", Action.PAUSE, null, null, "alice", 0,
				"the queue is paused");
		QueueHold hold = new QueueHold("reports", "game-7", Instant.EPOCH, By.HANDLER, "worker-1", "429");
		this.go.countDown();

		this.waiting.expired("reports", new StoredId("r-1", "game-7"), Outcome.HANDED_OVER);
		this.waiting.dropped("reports", "game-7", "r-2");
		this.waiting.held(hold);
		this.waiting.holdEnded("reports", "game-7");
		this.waiting.operated(paused);

		await().untilAsserted(() -> assertThat(this.published).containsExactly(
				new MessageExpiredEvent("reports", "r-1", "game-7", Outcome.HANDED_OVER),
				new MessageDroppedEvent("reports", "game-7", "r-2"), new QueueHeldEvent(hold),
				new QueueReleasedEvent("reports", "game-7"), paused));
	}

	@Test
	void slowListenerDoesNotBlockPublishersAndEventsKeepTheirOrder() {
		List<LeaseLostEvent> events = events(100);

		events.forEach(this.waiting::publish);

		assertThat(this.published).isEmpty();
		this.go.countDown();
		await().untilAsserted(() -> assertThat(this.published).containsExactlyElementsOf(events));
	}

	@Test
	void eventsBeyondCapacityAreDroppedWithOneWarningAndCounted(CapturedOutput output) {
		this.waiting.publish(event(0));
		join(this.begun);

		events(EventPublisher.MOST_WAITING + 5).forEach(this.waiting::publish);

		assertThat(output).containsOnlyOnce("further events are dropped");
		this.go.countDown();
		await().untilAsserted(() -> assertThat(output).contains("5 events were dropped"));
		assertThat(this.published).hasSize(EventPublisher.MOST_WAITING + 1);
	}

	@Test
	void listenerFailureIsLoggedAndNextEventIsPublished(CapturedOutput output) {
		try (EventPublisher events = new EventPublisher((event) -> {
			this.published.add(event);
			if (this.published.size() == 1) {
				throw new AssertionError("no way");
			}
		}, PHASE)) {
			events.publish(event(1));
			events.publish(event(2));
			await().until(() -> this.published.size() == 2);
			assertThat(output).containsOnlyOnce("failed; message delivery continues")
				.contains("no way")
				.contains("id=1");
		}
	}

	@Test
	void stopWaitsForTheLastEvents() {
		EventPublisher events = new EventPublisher(this.published::add, PHASE);
		events.start();
		events(1000).forEach(events::publish);

		events.stop();

		assertThat(this.published).hasSize(1000);
		assertThat(events.isRunning()).isFalse();
		events.close();
	}

	@Test
	void stopDoesNotWaitForABlockedListener(CapturedOutput output) {
		this.waiting.start();
		events(3).forEach(this.waiting::publish);

		this.waiting.stop();
		this.waiting.close();
		this.waiting.publish(event(4));

		assertThat(this.published).isEmpty();
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void canBeRestartedAfterStop() {
		this.go.countDown();
		this.waiting.start();
		this.waiting.stop();
		this.waiting.start();
		this.waiting.publish(event(1));
		await().until(() -> this.published.size() == 1);
		assertThat(this.waiting.isRunning()).isTrue();
		assertThat(this.waiting.getPhase()).isEqualTo(PHASE);
	}

	@Test
	void noThreadWithoutEvents() {
		this.waiting.start();
		this.waiting.stop();
		assertThat(threads()).isSubsetOf(this.before);
		this.waiting.publish(event(1));
		join(this.begun);
		assertThat(threads()).isNotEmpty();
	}

	private static List<LeaseLostEvent> events(int count) {
		return IntStream.range(0, count).mapToObj(EventPublisherTests::event).toList();
	}

	private static LeaseLostEvent event(int id) {
		return new LeaseLostEvent("orders", String.valueOf(id), null);
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("delayqueue-events-"))
			.collect(Collectors.toSet());
	}

	private static void join(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
