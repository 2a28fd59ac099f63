package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Suspects that run alone in their process, and suspects that an executor rejects. */
class SuspectIntegrationTests {

	@Test
	void suspectsRejectedByAnExecutorAreReleasedAndRedelivered() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			DelayQueueOperations producer = applications.producer();
			for (String id : List.of("a", "b")) {
				producer.schedule(ScheduleRequest.to("busy").id(id).payload("p").delay(Duration.ZERO));
				redis.call("HSET", applications.prefix() + ":{busy:0}:failures", id, "0|2|0||");
			}

			Busy busy = applications.start(Busy.class).getBean(Busy.class);

			assertThat(busy.handled.await(2)).extracting(Handled.Run::id).containsExactlyInAnyOrder("a", "b");
		}
	}

	@Test
	void consumerHoldsNothingElseWhileASuspectRuns() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			DelayQueueOperations producer = applications.producer();
			String keys = applications.prefix() + ":{chain:0}:";
			for (int i = 0; i < 20; i++) {
				producer.schedule(ScheduleRequest.to("chain").id("m-" + i).payload("p").delay(Duration.ZERO));
				if (i % 3 > 0) {
					redis.call("HSET", keys + "failures", "m-" + i, "0|2|0||");
				}
			}
			Chain.pending = () -> (Long) ((List<?>) redis.call("XPENDING", keys + "ready", "consumers")).get(0);

			Chain chain = applications.start(Chain.class).getBean(Chain.class);

			assertThat(chain.handled.await(20)).extracting(Handled.Run::id).hasSize(20).doesNotHaveDuplicates();
			assertThat(chain.held).hasSize(13).containsOnly(1L);
		}
	}

	@Test
	void suspectsOfTwoQueuesDoNotRunTogether() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			DelayQueueOperations producer = applications.producer();
			for (String queue : List.of("one", "two")) {
				for (int i = 0; i < 3; i++) {
					producer.schedule(ScheduleRequest.to(queue).id("m-" + i).payload("p").delay(Duration.ZERO));
					redis.call("HSET", applications.prefix() + ":{" + queue + ":0}:failures", "m-" + i, "0|2|0||");
				}
			}

			Two two = applications.start(Two.class).getBean(Two.class);

			two.handled.await(6);
			assertThat(two.mostTogether).hasValue(1);
		}
	}

	@Test
	void messagesWithCrashesLeaveAPermitToOthers() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			DelayQueueOperations producer = applications.producer();
			String keys = applications.prefix() + ":{full:0}:";
			for (int i = 0; i < 3; i++) {
				producer.schedule(ScheduleRequest.to("full")
					.id("m-" + i)
					.payload("wait")
					.dueAt(Instant.now().minusSeconds(3600)));
				redis.call("HSET", keys + "failures", "m-" + i, "0|1|0||");
			}
			Full full = applications.with("delayqueue.queues.full.concurrency=3").start(Full.class).getBean(Full.class);
			full.begun.acquireUninterruptibly(2);
			// The third one comes back soon, however late it is
			assertThat(
					await().until(() -> millisLeft(redis, keys + "scheduled"), OptionalDouble::isPresent).getAsDouble())
				.isLessThanOrEqualTo(1000);

			producer.schedule(ScheduleRequest.to("full").id("other").payload("p").delay(Duration.ZERO));

			assertThat(full.handled.await(1)).extracting(Handled.Run::id).containsExactly("other");
			assertThat(full.begun.availablePermits()).isZero();
			full.go.countDown();
			assertThat(full.handled.await(4)).extracting(Handled.Run::attempt).containsExactly(1, 2, 2, 2);
		}
	}

	/** Returns the time until the first message is due. */
	private static OptionalDouble millisLeft(RedisServer redis, String scheduled) {
		List<?> first = (List<?>) redis.call("ZRANGE", scheduled, "0", "0", "WITHSCORES");
		List<?> time = (List<?>) redis.call("TIME");
		double now = 1000 * Double.parseDouble(time.get(0).toString())
				+ Double.parseDouble(time.get(1).toString()) / 1000;
		return first.isEmpty() ? OptionalDouble.empty()
				: OptionalDouble.of(Double.parseDouble(first.get(1).toString()) - now);
	}

	@Configuration(proxyBeanMethods = false)
	static class Two {

		final Handled handled = new Handled();

		private final AtomicInteger together = new AtomicInteger();

		final AtomicInteger mostTogether = new AtomicInteger();

		@DelayedListener(queue = "one")
		void one(DelayedMessage<String> message) {
			handle(message);
		}

		@DelayedListener(queue = "two")
		void two(DelayedMessage<String> message) {
			handle(message);
		}

		private void handle(DelayedMessage<String> message) {
			this.mostTogether.accumulateAndGet(this.together.incrementAndGet(), Math::max);
			this.handled.add(message);
			this.together.decrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Full {

		final Handled handled = new Handled();

		final Semaphore begun = new Semaphore(0);

		final CountDownLatch go = new CountDownLatch(1);

		@DelayedListener(queue = "full")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			if (message.payload().equals("wait")) {
				this.begun.release();
				this.go.await();
			}
			this.handled.add(message);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Busy {

		final Handled handled = new Handled();

		@DelayedListener(queue = "busy", executor = "busyOnce")
		void handle(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		/** Rejects its first task. */
		@Bean
		Executor busyOnce() {
			AtomicBoolean busy = new AtomicBoolean(true);
			return (work) -> {
				if (busy.getAndSet(false)) {
					throw new RejectedExecutionException("busy");
				}
				new Thread(work).start();
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Chain {

		private static volatile LongSupplier pending = () -> 0;

		final Handled handled = new Handled();

		/** The number of messages that the consumer held when each suspect started. */
		final List<Long> held = new CopyOnWriteArrayList<>();

		@DelayedListener(queue = "chain")
		void handle(DelayedMessage<String> message) {
			if (message.attempt() > 1) {
				this.held.add(pending.getAsLong());
			}
			this.handled.add(message);
		}

	}

}
