package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.store.DelayQueueRedisTemplate;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A suspect that is about to run alone when the read of another partition comes in.
 */
class SuspectIntegrationTests {

	@Test
	void aSuspectThatIsGivenBackBeforeItBeganDoesNotKeepItsConsumerFromReading() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())
					.with("delayqueue.defaults.partitions=2")) {
			DelayQueueOperations producer = applications.producer();
			String suspect = idIn(0, producer, redis, applications.prefix());
			String other = idIn(1, producer, redis, applications.prefix());
			redis.call("HSET", applications.prefix() + ":{meeting:0}:failures", suspect, "0|1|0||");

			Meeting meeting = applications.start(Meeting.class).getBean(Meeting.class);

			assertThat(meeting.handled.await(2)).extracting(Handled.Run::id).containsExactlyInAnyOrder(suspect, other);
		}
	}

	@Test
	void suspectsThatAnExecutorRefusesAreGivenBackAndComeAgain() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			DelayQueueOperations producer = applications.producer();
			for (String id : List.of("a", "b")) {
				producer.schedule(ScheduleRequest.to("busy").id(id).payload("p").delay(Duration.ZERO));
				redis.call("HSET", applications.prefix() + ":{busy:0}:failures", id, "0|1|0||");
			}

			Busy busy = applications.start(Busy.class).getBean(Busy.class);

			assertThat(busy.handled.await(2)).extracting(Handled.Run::id).containsExactlyInAnyOrder("a", "b");
		}
	}

	/** Schedules until there is one message in the partition, and none elsewhere. */
	private static String idIn(int partition, DelayQueueOperations producer, RedisServer redis, String prefix) {
		for (int i = 0;; i++) {
			String id = "m-" + partition + "-" + i;
			producer.schedule(ScheduleRequest.to("meeting").id(id).payload("p").delay(Duration.ZERO));
			if (redis.call("ZSCORE", prefix + ":{meeting:" + partition + "}:scheduled", id) != null) {
				return id;
			}
			producer.cancel("meeting", id);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Busy {

		final Handled handled = new Handled();

		@DelayedListener(queue = "busy", executor = "busyOnce")
		void handle(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		/** Refuses its first task. */
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
	static class Meeting {

		final Handled handled = new Handled();

		private static final CountDownLatch OTHER_IS_READ = new CountDownLatch(1);

		private static final CountDownLatch SUSPECT_IS_TO_RUN = new CountDownLatch(1);

		private static final CountDownLatch BOTH_ARE_GIVEN_BACK = new CountDownLatch(1);

		@DelayedListener(queue = "meeting", executor = "late")
		void handle(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		/** Begins with its work when it has been given back. */
		@Bean
		Late late() {
			return new Late();
		}

		/**
		 * Lets the read of the suspect end when the other partition is being read too,
		 * and that one when the suspect is about to run.
		 */
		@Bean
		static BeanPostProcessor slowRead() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof DelayQueueRedisTemplate template) {
						template.setScriptExecutor(new DefaultScriptExecutor<>(template) {

							@Override
							public <T> T execute(RedisScript<T> script, RedisSerializer<?> argumentSerializer,
									RedisSerializer<T> resultSerializer, List<String> keys, Object... arguments) {
								T reply = super.execute(script, argumentSerializer, resultSerializer, keys, arguments);
								String text = script.getScriptAsString();
								if (text.contains("which deliveries are the current ones")) {
									delay(keys.get(0).contains(":1}"));
								}
								else if (text.contains("Gives back what was delivered and not started")) {
									BOTH_ARE_GIVEN_BACK.countDown();
								}
								return reply;
							}

						});
					}
					return bean;
				}

			};
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

		private static void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		static final class Late implements Executor, AutoCloseable {

			private final ExecutorService threads = Executors.newCachedThreadPool();

			@Override
			public void execute(Runnable work) {
				SUSPECT_IS_TO_RUN.countDown();
				this.threads.execute(() -> {
					Meeting.await(BOTH_ARE_GIVEN_BACK);
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
