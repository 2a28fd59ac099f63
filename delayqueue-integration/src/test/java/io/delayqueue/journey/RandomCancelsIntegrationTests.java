package io.delayqueue.journey;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls on a few ids whose handlers run in two processes: an interrupt hits no
 * message but the one that was cancelled, also if it was replaced.
 */
@Tag("slow")
class RandomCancelsIntegrationTests {

	private static final int CALLERS = 4;

	private static final int IDS = 5;

	private final RedisServer redis = RedisServer.builder().start();

	private final TestApplication applications = new TestApplication(this.redis.uri())
		.with("delayqueue.defaults.done-window=10s")
		.with("delayqueue.schedule.deadline=5s")
		.with("delayqueue.defaults.max-attempts=1000")
		.with("delayqueue.defaults.back-off.first=1ms");

	/** When a call that cancels a message began, by its payload, ns. */
	private final Map<String, Long> calledAt = new ConcurrentHashMap<>();

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void interruptsHitOnlyWhatWasCancelled() {
		callAtRandom(800);
	}

	@Test
	void interruptsHitOnlyWhatWasCancelledInTenThousandCalls() {
		callAtRandom(10_000);
	}

	private void callAtRandom(int calls) {
		long seed = ThreadLocalRandom.current().nextLong();
		List<ConfigurableApplicationContext> apps = List.of(this.applications.start(Listener.class),
				this.applications.start(Listener.class));
		List<CompletableFuture<Set<String>>> callers = new ArrayList<>();
		for (int i = 0; i < CALLERS; i++) {
			Caller caller = new Caller(apps.get(i % 2).getBean(DelayQueueOperations.class), i, new Random(seed + i));
			callers.add(CompletableFuture.supplyAsync(() -> caller.call(calls / CALLERS)));
		}
		Set<String> removed = ConcurrentHashMap.newKeySet();
		callers.forEach((caller) -> removed.addAll(caller.join()));
		print(apps);

		List<String> cancelled = new ArrayList<>();
		for (ConfigurableApplicationContext app : apps) {
			Listener listener = app.getBean(Listener.class);
			assertThat(listener.wrongs).as("seed " + seed).isEmpty();
			cancelled.addAll(listener.cancelled);
		}
		assertThat(cancelled).as("seed " + seed).isNotEmpty();
		assertThat(removed).as("seed " + seed).containsAll(cancelled);
	}

	/** Prints how soon an interrupt followed the call that cancelled its message. */
	private void print(List<ConfigurableApplicationContext> apps) {
		List<Long> micros = apps.stream()
			.flatMap((app) -> app.getBean(Listener.class).interruptedAt.entrySet().stream())
			.filter((entry) -> this.calledAt.containsKey(entry.getKey()))
			.map((entry) -> (entry.getValue() - this.calledAt.get(entry.getKey())) / 1000)
			.sorted()
			.toList();
		System.out.printf("%d interrupts, after %s us (median), %s us (p99)%n", micros.size(),
				micros.get(micros.size() / 2), micros.get(micros.size() * 99 / 100));
	}

	/** Makes random calls, on ids of its own. */
	private final class Caller {

		private final DelayQueueOperations queue;

		private final int number;

		private final Random random;

		/** The payload of the message that was stored last, by id. */
		private final Map<String, String> stored = new HashMap<>();

		private final Set<String> removed = ConcurrentHashMap.newKeySet();

		Caller(DelayQueueOperations queue, int number, Random random) {
			this.queue = queue;
			this.number = number;
			this.random = random;
		}

		/** Returns the payloads of messages that were cancelled in flight. */
		Set<String> call(int calls) {
			for (int i = 0; i < calls; i++) {
				String id = "c" + this.number + "-" + this.random.nextInt(IDS);
				switch (this.random.nextInt(5)) {
					case 0, 1 -> schedule(id, id + "/" + i, true);
					case 2 -> schedule(id, id + "/" + i, false);
					case 3 -> this.queue.reschedule("jobs", id, Duration.ofMillis(this.random.nextInt(3)));
					default -> cancel(id);
				}
			}
			return this.removed;
		}

		private void schedule(String id, String payload, boolean replaces) {
			ScheduleResult result = this.queue.schedule(ScheduleRequest.to("jobs")
				.id(id)
				.payload(payload)
				.onDuplicate(replaces ? DuplicatePolicy.replace() : DuplicatePolicy.keep())
				.delay(Duration.ofMillis(this.random.nextInt(3))));
			if (result.outcome() == ScheduleResult.Outcome.REPLACED
					|| result.outcome() == ScheduleResult.Outcome.CREATED) {
				this.stored.put(id, payload);
			}
		}

		private void cancel(String id) {
			String before = this.stored.get(id);
			long calledAt = System.nanoTime();
			if (this.queue.cancel("jobs", id) == CancelResult.IN_FLIGHT && before != null) {
				this.removed.add(before);
				RandomCancelsIntegrationTests.this.calledAt.put(before, calledAt);
			}
		}

	}

	static class Listener {

		final BlockingQueue<String> wrongs = new LinkedBlockingQueue<>();

		final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();

		final Map<String, Long> interruptedAt = new ConcurrentHashMap<>();

		/** Waits for an interrupt for a few milliseconds. */
		@DelayedListener(queue = "jobs", interruptible = true)
		void handle(DelayedMessage<String> message) throws InterruptedException {
			if (Thread.currentThread().isInterrupted() && !message.isCancelled()) {
				this.wrongs.add(message.payload() + " at its beginning");
			}
			try {
				new CountDownLatch(1).await(ThreadLocalRandom.current().nextInt(6), TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException interrupted) {
				this.interruptedAt.put(message.payload(), System.nanoTime());
				if (!message.isCancelled()) {
					this.wrongs.add(message.payload() + " in its handler");
				}
				throw interrupted;
			}
			finally {
				if (message.isCancelled()) {
					this.cancelled.add(message.payload());
				}
			}
		}

	}

}
