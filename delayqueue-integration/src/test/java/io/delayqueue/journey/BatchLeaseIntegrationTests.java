package io.delayqueue.journey;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.DelayedMessage;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Batches.Run;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.fault.FaultProxy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long the leases of collected and running messages are renewed, and when messages
 * are released.
 */
@Tag("slow")
class BatchLeaseIntegrationTests extends BatchJourney {

	@Test
	void leasesAreRenewedDuringABatchAndALostLeaseIsReportedForItsMessage() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		List<String> lost = new CopyOnWriteArrayList<>();
		start("delayqueue.defaults.visibility-timeout=2s", "batch-wait=300ms");
		this.batches.behaviour = (batch) -> {
			begun.countDown();
			if (batch.size() == 3) {
				Awaitility.await().until(() -> batch.get(1).isLeaseLost());
				// More than another visibility timeout
				Instant end = Instant.now().plusSeconds(3);
				Awaitility.await().until(() -> Instant.now().isAfter(end));
				batch.stream().filter(DelayedMessage::isLeaseLost).map(DelayedMessage::id).forEach(lost::add);
			}
			return null;
		};
		schedule("plain", "a", "b", "c");
		assertThat(begun.await(2, TimeUnit.MINUTES)).isTrue();

		Object entry = Objects.requireNonNull(this.redis.call("HGET", key("plain", "entries"), "b"));
		this.redis.call("XACK", key("plain", "ready"), "consumers", entry.toString());

		awaitEmpty("plain");
		assertThat(lost).containsExactly("b");
		assertThat(this.batches.ids()).containsExactly("a", "b", "c", "b");
		assertThat(attemptsOf("b")).as("its return did not count").containsExactly(1, 2);
	}

	@Test
	void messageWhoseLeaseMayHaveEndedIsNotInTheBatch() throws Exception {
		try (FaultProxy way = FaultProxy.to(this.redis);
				TestApplication behindTheWay = new TestApplication(way.uri())) {
			start(behindTheWay.with("spring.data.redis.timeout=1s"), "delayqueue.defaults.visibility-timeout=1s",
					"batch=3", "batch-concurrency=5", "batch-wait=100ms");
			CountDownLatch begun = new CountDownLatch(1);
			AtomicBoolean redisDown = new AtomicBoolean();
			List<String> begunWhileDown = new CopyOnWriteArrayList<>();
			this.batches.behaviour = (batch) -> {
				if (redisDown.get()) {
					batch.stream().map(DelayedMessage::id).forEach(begunWhileDown::add);
				}
				else if (batch.size() == 3 && begun.getCount() > 0) {
					begun.countDown();
					Awaitility.await().untilTrue(redisDown);
					// Two visibility timeouts
					Instant end = Instant.now().plusSeconds(2);
					Awaitility.await().until(() -> Instant.now().isAfter(end));
				}
				return null;
			};
			schedule("plain", "a", "b", "c");
			assertThat(begun.await(2, TimeUnit.MINUTES)).isTrue();
			schedule("plain", "d", "e");
			awaitPending("plain", 5);
			way.refuse();
			way.cutAll();
			redisDown.set(true);
			DelayedListenerContainer container = this.context.getBean(DelayedListenerRegistry.class)
				.container("plain")
				.orElseThrow();
			Awaitility.await().until(() -> container.inFlight() == 0);
			redisDown.set(false);
			way.pass();

			awaitEmpty("plain");
			assertThat(begunWhileDown).isEmpty();
			assertThat(this.batches.ids()).contains("d", "e");
		}
	}

	@Test
	void collectedMessagesAreReleasedWhenTheQueueIsPaused() {
		start("batch-wait=" + NEVER, "delayqueue.defaults.partitions=3");
		scheduleMany("plain", "m", 7);
		awaitPending("plain", 7);
		DelayQueueAdmin admin = this.context.getBean(DelayQueueAdmin.class);

		admin.pause("plain");

		awaitPending("plain", 0);
		Counter released = this.context.getBean(MeterRegistry.class)
			.get("delayqueue.released")
			.tag("queue", "plain")
			.counter();
		Awaitility.await().until(() -> released.count() == 7);
		assertThat(this.batches.runs).isEmpty();
		admin.resume("plain");
		scheduleMany("plain", "n", 17);
		assertThat(this.batches.await(24)).flatExtracting(Run::attempts).containsOnly(1);
	}

	@Test
	void collectedMessagesAreReleasedWhenTheProcessStops() {
		start("batch-wait=" + NEVER);
		schedule("plain", "a", "b", "c");
		awaitPending("plain", 3);

		this.context.close();

		assertThat(this.redis.call("XLEN", key("plain", "ready"))).isEqualTo(0L);
		assertThat(this.redis.call("ZCARD", key("plain", "scheduled"))).isEqualTo(3L);
		assertThat(this.batches.runs).isEmpty();
		start("batch-wait=100ms");
		assertThat(this.batches.await(3)).flatExtracting(Run::attempts).containsOnly(1);
	}

}
