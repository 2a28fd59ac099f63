package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.ScriptHooks;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** A suspect that is about to run alone when the read of another partition returns. */
@Tag("slow")
class SuspectReadIntegrationTests {

	private static final String READ = Scripts.text("read");

	private static final String SWEEP = Scripts.text("sweep");

	private static final String SETTLE = Scripts.text("settle");

	@Test
	void suspectReleasedBeforeItsStartDoesNotStopReads() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())
					.with("delayqueue.defaults.partitions=2")) {
			DelayQueueOperations producer = applications.producer();
			String suspect = idIn("meeting", 0, producer, redis, applications.prefix());
			String other = idIn("meeting", 1, producer, redis, applications.prefix());
			redis.call("HSET", applications.prefix() + ":{meeting:0}:failures", suspect, "0|2|0||");

			Meeting meeting = applications.start(Meeting.class).getBean(Meeting.class);

			assertThat(meeting.handled.await(2)).extracting(Handled.Run::id).containsExactlyInAnyOrder(suspect, other);
		}
	}

	@Test
	void messagesOfAnotherPartitionDoNotStartWhileASuspectRuns() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())
					.with("delayqueue.defaults.partitions=2")) {
			DelayQueueOperations producer = applications.producer();
			String suspect = idIn("alone", 0, producer, redis, applications.prefix());
			String other = idIn("alone", 1, producer, redis, applications.prefix());
			redis.call("HSET", applications.prefix() + ":{alone:0}:failures", suspect, "0|2|0||");

			Alone alone = applications.start(Alone.class).getBean(Alone.class);

			assertThat(alone.ended.await(2)).extracting(Handled.Run::id).containsExactly(suspect, other);
		}
	}

	/** Whether the reply of the script contains messages. */
	private static boolean hasRead(String script, List<?> reply) {
		return (script.equals(READ) && (Long) reply.get(2) > 0) || (script.equals(SWEEP) && (Long) reply.get(9) > 0);
	}

	/**
	 * Schedules messages until one is in the partition that the test needs.
	 */
	private static String idIn(String queue, int partition, DelayQueueOperations producer, RedisServer redis,
			String prefix) {
		for (int i = 0;; i++) {
			String id = "m-" + partition + "-" + i;
			producer.schedule(ScheduleRequest.to(queue).id(id).payload("p").delay(Duration.ZERO));
			if (redis.call("ZSCORE", prefix + ":{" + queue + ":" + partition + "}:scheduled", id) != null) {
				return id;
			}
			producer.cancel(queue, id);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** The read of the other partition returns when the suspect runs. */
	@Configuration(proxyBeanMethods = false)
	static class Alone {

		private static final CountDownLatch OTHER_IS_READ = new CountDownLatch(1);

		private static final CountDownLatch SUSPECT_RUNS = new CountDownLatch(1);

		private static final CountDownLatch OTHER_HAS_ENDED_OR_IS_GIVEN_BACK = new CountDownLatch(1);

		final Handled ended = new Handled();

		@DelayedListener(queue = "alone", executor = "here")
		void handle(DelayedMessage<String> message) {
			if (message.attempt() > 1) {
				SUSPECT_RUNS.countDown();
				SuspectReadIntegrationTests.await(OTHER_HAS_ENDED_OR_IS_GIVEN_BACK);
				this.ended.add(message);
			}
			else {
				this.ended.add(message);
				OTHER_HAS_ENDED_OR_IS_GIVEN_BACK.countDown();
			}
		}

		/** Runs its tasks in the calling thread. */
		@Bean
		Executor here() {
			return Runnable::run;
		}

		@Bean
		static BeanPostProcessor slowRead() {
			return new ScriptHooks((script, keys, reply) -> {
				boolean read = hasRead(script, reply);
				if (read && keys.get(0).contains("{alone:1}")) {
					OTHER_IS_READ.countDown();
					SuspectReadIntegrationTests.await(SUSPECT_RUNS);
				}
				else if (read) {
					SuspectReadIntegrationTests.await(OTHER_IS_READ);
				}
				else if (script.equals(SETTLE)) {
					OTHER_HAS_ENDED_OR_IS_GIVEN_BACK.countDown();
				}
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Meeting {

		final Handled handled = new Handled();

		private static final CountDownLatch OTHER_IS_READ = new CountDownLatch(1);

		private static final CountDownLatch SUSPECT_IS_TO_RUN = new CountDownLatch(1);

		private static final CountDownLatch BOTH_ARE_GIVEN_BACK = new CountDownLatch(1);

		@DelayedListener(queue = "meeting", executor = "late")
		void handle(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		/** Starts its task after the message has been released. */
		@Bean
		Late late() {
			return new Late();
		}

		/**
		 * Lets the read of the suspect return when the other partition is being read too,
		 * and the other read when the suspect is about to run.
		 */
		@Bean
		static BeanPostProcessor slowRead() {
			return new ScriptHooks((script, keys, reply) -> {
				if (hasRead(script, reply)) {
					delay(keys.get(0).contains(":1}"));
				}
				else if (script.equals(SETTLE)) {
					BOTH_ARE_GIVEN_BACK.countDown();
				}
			});
		}

		private static void delay(boolean other) {
			if (other) {
				OTHER_IS_READ.countDown();
				await(SUSPECT_IS_TO_RUN);
			}
			else {
				await(OTHER_IS_READ);
			}
		}

		static final class Late implements Executor, AutoCloseable {

			private final ExecutorService threads = Executors.newCachedThreadPool();

			@Override
			public void execute(Runnable work) {
				SUSPECT_IS_TO_RUN.countDown();
				this.threads.execute(() -> {
					SuspectReadIntegrationTests.await(BOTH_ARE_GIVEN_BACK);
					work.run();
				});
			}

			@Override
			public void close() {
				this.threads.shutdownNow();
			}

		}

	}

}
