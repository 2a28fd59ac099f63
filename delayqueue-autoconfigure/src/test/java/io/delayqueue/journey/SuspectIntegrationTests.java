package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
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

/** Suspects that run alone in their process, and suspects that an executor rejects. */
class SuspectIntegrationTests {

	@Test
	void suspectsRejectedByAnExecutorAreReleasedAndRedelivered() {
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

	@Test
	void consumerHoldsNothingElseWhileASuspectRuns() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			DelayQueueOperations producer = applications.producer();
			String keys = applications.prefix() + ":{chain:0}:";
			for (int i = 0; i < 20; i++) {
				producer.schedule(ScheduleRequest.to("chain").id("m-" + i).payload("p").delay(Duration.ZERO));
				if (i % 3 > 0) {
					redis.call("HSET", keys + "failures", "m-" + i, "0|1|0||");
				}
			}
			Chain.pending = () -> (Long) ((List<?>) redis.call("XPENDING", keys + "ready", "consumers")).get(0);

			Chain chain = applications.start(Chain.class).getBean(Chain.class);

			assertThat(chain.handled.await(20)).extracting(Handled.Run::id).hasSize(20).doesNotHaveDuplicates();
			assertThat(chain.held).hasSize(13).containsOnly(1L);
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
