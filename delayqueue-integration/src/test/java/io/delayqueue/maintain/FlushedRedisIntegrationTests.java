package io.delayqueue.maintain;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("slow")
class FlushedRedisIntegrationTests {

	static class Listener {

		final Handled handled = new Handled();

		@DelayedListener(queue = "orders")
		void handle(DelayedMessage<String> message) {
			this.handled.add(message);
		}

	}

	@Test
	@DisplayName("row 32: after FLUSHALL nothing crashes, the group is there again, and new messages are handled")
	void goesOnAfterFlushAll() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())
					.with("delayqueue.maintenance.interval=10s")) {
			ConfigurableApplicationContext context = applications.start(Listener.class);
			DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
			Handled handled = context.getBean(Listener.class).handled;
			queue.schedule("orders", "before", Duration.ZERO);
			handled.await(1);
			queue.schedule("orders", "flushed", Duration.ofDays(1));

			redis.call("FLUSHALL");
			queue.schedule("orders", "after", Duration.ofMillis(100));

			assertThat(handled.await(2)).extracting(Handled.Run::payload).containsExactly("before", "after");
			String stream = applications.prefix() + ":{orders:0}:ready";
			Awaitility.await().until(() -> redis.call("XLEN", stream).equals(0L));
			assertThat(redis.call("XINFO", "GROUPS", stream).toString()).contains("consumers");
			assertThat(context.getBean(DelayQueueEngine.class).tasks().statuses()).extracting(TaskStatus::failures)
				.containsOnly(0);
		}
	}

}
