package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Queues with a group that has its own workers.
 */
@SuppressWarnings("NullAway.Init")
abstract class DedicatedGroups {

	static final String HOT = "hot:1";

	RedisServer redis;

	private TestApplication applications;

	ConfigurableApplicationContext context;

	private DelayQueueOperations queue;

	Games games;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.defaults.partitions=3");
	}

	@AfterEach
	void stopAll() {
		if (this.games != null) {
			this.games.go.countDown();
			this.games.otherGroupsGo.countDown();
		}
		this.applications.close();
		this.redis.close();
	}

	void start(String... properties) {
		this.applications.with("delayqueue.queues.games.groups.overrides.[hot:1].dedicated=true")
			.with("delayqueue.queues.batches.groups.overrides.[hot:1].dedicated=true")
			.with("delayqueue.queues.patient.visibility-timeout=30m");
		for (String property : properties) {
			this.applications.with(property);
		}
		this.context = this.applications.start(Games.class);
		this.queue = this.context.getBean(DelayQueueOperations.class);
		this.games = this.context.getBean(Games.class);
	}

	DelayedListenerContainer container(String name) {
		return this.context.getBean(DelayedListenerRegistry.class).container(name).orElseThrow();
	}

	void schedule(String name, String prefix, @Nullable String group, int count) {
		schedule(name, Duration.ZERO, prefix, group, count);
	}

	void schedule(String name, Duration delay, String prefix, @Nullable String group, int count) {
		this.queue.scheduleAll(IntStream.range(0, count).mapToObj((i) -> {
			ScheduleRequest request = ScheduleRequest.to(name).id(prefix + "-" + i).payload("p").delay(delay);
			return (group != null) ? request.group(group) : request;
		}).toList());
	}

	void awaitRunning(String group, int count) {
		Awaitility.await().until(() -> this.games.running.getOrDefault(group, new AtomicInteger()).get() == count);
	}

	void awaitPending(String name, long count) {
		Awaitility.await().ignoreExceptions().until(() -> pending(name) == count);
	}

	long pending(String name) {
		long count = 0;
		for (int partition = 0; partition < 3; partition++) {
			List<?> pending = (List<?>) Objects
				.requireNonNull(this.redis.call("XPENDING", key(name, partition, "ready"), "consumers"));
			count += (Long) pending.get(0);
		}
		return count;
	}

	void awaitEmpty(String name) {
		Awaitility.await()
			.until(() -> IntStream.range(0, 3)
				.allMatch((partition) -> Long.valueOf(0)
					.equals(this.redis.call("HLEN", key(name, partition, "messages")))));
	}

	String key(String name, int partition, String part) {
		return this.applications.prefix() + ":{" + name + ":" + partition + "}:" + part;
	}

	static class Games {

		/** Lets running handlers of the hot group end. */
		final CountDownLatch go = new CountDownLatch(1);

		/** Lets running handlers of other groups end. */
		final CountDownLatch otherGroupsGo = new CountDownLatch(1);

		/** Running handlers by group. */
		final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();

		/** The most running handlers at once, by group. */
		final Map<String, Integer> most = new ConcurrentHashMap<>();

		final Map<String, Integer> handled = new ConcurrentHashMap<>();

		final List<String> suspects = new CopyOnWriteArrayList<>();

		final List<String> besideSuspects = new CopyOnWriteArrayList<>();

		final List<List<DelayedMessage<String>>> batches = new CopyOnWriteArrayList<>();

		@DelayedListener(queue = "games", concurrency = "2")
		void game(DelayedMessage<String> message) throws InterruptedException {
			run(List.of(message));
		}

		@DelayedListener(queue = "batches", batch = "3", concurrency = "3", batchWait = "100ms", groupBy = true)
		void batch(List<DelayedMessage<String>> batch) throws InterruptedException {
			this.batches.add(batch);
			run(batch);
		}

		@DelayedListener(queue = "patient", batch = "8", batchWait = "1m", groupBy = true)
		void patient(List<DelayedMessage<String>> batch) throws InterruptedException {
			this.batches.add(batch);
			run(batch);
		}

		private void run(List<DelayedMessage<String>> messages) throws InterruptedException {
			String group = messages.get(0).group().orElse("none");
			AtomicInteger now = this.running.computeIfAbsent(group, (absent) -> new AtomicInteger());
			int count = now.addAndGet(messages.size());
			this.most.merge(group, count, Math::max);
			boolean suspect = messages.get(0).attempt() > 1;
			if (suspect) {
				this.suspects.add(messages.get(0).id());
			}
			recordHandlersBesideASuspect(suspect ? 1 : 0);
			CountDownLatch latch = group.equals(HOT) ? this.go : this.otherGroupsGo;
			assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
			recordHandlersBesideASuspect(suspect ? 1 : 0);
			messages.forEach((message) -> this.handled.put(message.id(), message.attempt()));
			now.addAndGet(-messages.size());
		}

		private void recordHandlersBesideASuspect(int self) {
			int running = this.running.values().stream().mapToInt(AtomicInteger::get).sum();
			if (self > 0 && running > self) {
				this.besideSuspects.add(this.running.toString());
			}
		}

		void await(String prefix, int count) {
			Awaitility.await()
				.until(() -> this.handled.keySet()
					.stream()
					.filter((id) -> id.startsWith(prefix + "-"))
					.count() == count);
		}

	}

}
