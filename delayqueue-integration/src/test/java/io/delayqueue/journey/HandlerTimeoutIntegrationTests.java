package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TimedListeners;
import io.delayqueue.listener.DelayedListenerRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The timeouts of listeners and queues: what happens to the handler, and what becomes of
 * its message.
 */
class HandlerTimeoutIntegrationTests extends TimedListeners {

	@Test
	void handlerIsInterruptedAndItsAttemptTimesOut() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class);
		assertThat(app.getBean(DelayedListenerRegistry.class).container("jobs").orElseThrow().timeout())
			.isEqualTo(Duration.ofSeconds(1));
		schedule(app, "jobs", "m", "wait");

		DeadLetter dead = awaitDeadLetter(app, "jobs", "m");
		assertThat(dead.reason()).isEqualTo("TIMED_OUT");
		assertThat(dead.exception()).isEqualTo(HandlerTimeoutException.class.getName());
		assertThat(dead.message()).contains("(1s)").contains("delayqueue-jobs-");
		Listener listener = app.getBean(Listener.class);
		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).containsExactly("interrupted"));
		Awaitility.await().until(() -> health(app).abandoned().isEmpty());
		assertThat(health(app).status()).isEqualTo(Status.UP);
	}

	@EnabledForJreRange(min = JRE.JAVA_21)
	@Test
	void handlerOnVirtualThreadIsInterruptedToo() {
		ConfigurableApplicationContext app = this.applications.with("spring.threads.virtual.enabled=true")
			.start(Listener.class);
		schedule(app, "jobs", "m", "wait");

		assertThat(awaitDeadLetter(app, "jobs", "m").reason()).isEqualTo("TIMED_OUT");
		Listener listener = app.getBean(Listener.class);
		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).containsExactly("interrupted"));
	}

	@Test
	void timeoutOfQueueAppliesToListenerWithoutOneOfItsOwn() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.queues.plain.timeout=1s")
			.start(Listener.class);
		schedule(app, "plain", "m", "wait");

		assertThat(awaitDeadLetter(app, "plain", "m").reason()).isEqualTo("TIMED_OUT");
	}

	@Test
	void openStageIsCancelled() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class);
		schedule(app, "stages", "m", "wait");

		assertThat(awaitDeadLetter(app, "stages", "m").message()).contains("stage");
		assertThat(app.getBean(Listener.class).stage).isCancelled();
		Awaitility.await().until(() -> health(app).abandoned().isEmpty());
	}

	@Test
	void messagesOfBatchThatTimesOutAreRetriedOneByOne() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.defaults.max-attempts=2")
			.start(Listener.class);
		schedule(app, "batches", "a", "wait");
		schedule(app, "batches", "b", "work");

		Listener listener = app.getBean(Listener.class);
		assertThat(listener.handled.await(1)).extracting(Handled.Run::id).containsExactly("b");
		assertThat(awaitDeadLetter(app, "batches", "a").reason()).isEqualTo("TIMED_OUT");
		assertThat(listener.batches).hasSize(3).first().isEqualTo(List.of("a", "b"));
		assertThat(listener.batches).element(1).satisfies((batch) -> assertThat(batch).hasSize(1));
	}

	/**
	 * The thread of a handler that ends just when it times out takes the next message: it
	 * must not see an interrupt.
	 */
	@Tag("slow")
	@Test
	void interruptNeverReachesNextMessageOfTheThread() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.defaults.max-attempts=100")
			.start(Listener.class);
		DelayQueueOperations queue = app.getBean(DelayQueueOperations.class);
		List<ScheduleRequest> requests = IntStream.range(0, 60)
			.mapToObj((i) -> ScheduleRequest.to("edges")
				.id("m" + i)
				.payload((i % 3 == 0) ? "edge" : "work")
				.delay(Duration.ZERO))
			.toList();
		queue.scheduleAll(requests);

		Listener listener = app.getBean(Listener.class);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> listener.handled.ids().stream().distinct().count() >= 40 && listener.ends.size() >= 20);
		assertThat(listener.interruptedAtBegin).isEmpty();
		assertThat(listener.interruptedAtWork).isEmpty();
	}

}
