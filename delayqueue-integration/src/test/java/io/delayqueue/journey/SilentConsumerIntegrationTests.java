package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.ListeningApplication;
import io.delayqueue.journey.fixture.Started;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.GroupLimit;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.ReadyMessages;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that take long, and consumers that fall silent.
 */
@Tag("slow")
class SilentConsumerIntegrationTests extends ListeningApplication {

	static class Slow {

		final Handled handled = new Handled();

		final CountDownLatch go = new CountDownLatch(1);

		final AtomicInteger together = new AtomicInteger();

		final AtomicInteger mostTogether = new AtomicInteger();

		volatile boolean lost;

		@DelayedListener(queue = "slow")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.mostTogether.accumulateAndGet(this.together.incrementAndGet(), Math::max);
			this.handled.add(message);
			if (message.payload().equals("wait")) {
				this.go.await();
			}
			this.lost = message.isLeaseLost();
			this.together.decrementAndGet();
		}

	}

	@Test
	void handlerThatRunsLongerThanTheVisibilityTimeoutKeepsItsMessage() {
		this.applications.with("delayqueue.defaults.visibility-timeout=2s");
		Started<Slow> app = start(Slow.class);
		app.queue().schedule(ScheduleRequest.to("slow").payload("wait").id("m").delay(Duration.ZERO));
		Instant began = app.bean().handled.await(1).get(0).at();

		// The wait is four visibility timeouts and a check of the reclaimer
		Awaitility.await().until(() -> Duration.between(began, Instant.now()).compareTo(Duration.ofSeconds(8)) > 0);
		app.bean().go.countDown();

		app.awaitGone("slow", "m");
		assertThat(app.bean().handled.runs()).hasSize(1);
		assertThat(app.bean().lost).isFalse();
	}

	@Test
	void messagesOfASilentConsumerAreRedeliveredTogether() {
		this.applications.with("delayqueue.defaults.visibility-timeout=1s");
		DelayQueueOperations producer = this.applications.producer();
		for (String id : List.of("a", "b", "c")) {
			producer.schedule(ScheduleRequest.to("slow").payload("wait").id(id).delay(Duration.ZERO));
		}
		silentConsumerTakes("slow", 3);
		assertThat(producer.find("slow", "a").orElseThrow().state()).isEqualTo(MessageState.PENDING);

		Started<Slow> app = start(Slow.class);

		List<Handled.Run> runs = app.bean().handled.await(3);
		assertThat(runs).extracting(Handled.Run::attempt).containsOnly(2);
		assertThat(runs).extracting(Handled.Run::id).containsExactlyInAnyOrder("a", "b", "c");
		Awaitility.await().untilAsserted(() -> assertThat(app.bean().mostTogether).hasValue(3));
		app.bean().go.countDown();
		app.awaitGone("slow", "a");
		Awaitility.await()
			.until(() -> ((List<?>) this.redis.call("XPENDING", key("slow", "ready"), "consumers", "-", "+", "10"))
				.isEmpty());
	}

	/** Sweeps, and reads with a consumer that then falls silent. */
	private void silentConsumerTakes(String queue, int count) {
		try (ConfigurableApplicationContext other = this.applications.start()) {
			Partition partition = new Partition(queue, 0);
			ReadyMessages ready = new ReadyMessages(other.getBean(DelayQueueEngine.class).calls());
			new DueMessages(other.getBean(DelayQueueEngine.class).calls()).sweep(partition,
					new SweepLimits(count, 1000, GroupLimit.NONE, Map.of()), "", "none", 0);
			assertThat(ready.read(partition, "silent", count).entries()).hasSize(count);
		}
	}

	private String key(String queue, String name) {
		return this.applications.prefix() + ":{" + queue + ":0}:" + name;
	}

}
