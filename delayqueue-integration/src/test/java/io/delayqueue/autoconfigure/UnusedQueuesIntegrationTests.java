package io.delayqueue.autoconfigure;

import io.delayqueue.DelayedListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The log line about configured queues without a listener.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnusedQueuesIntegrationTests {

	private static final String LINE = "delayqueue.queues configures queues that have no listener in this process: ";

	@Test
	void configuredQueuesWithoutListenerAreLoggedWithTheNearestName(CapturedOutput output) {
		try (TestApplication application = new TestApplication(SharedRedis.get().uri())
			.with("delayqueue.queues.order-timeuot.max-attempts=3")
			.with("delayqueue.queues.other.max-attempts=3")
			.with("delayqueue.queues.order-timeout.dead-letter-queue=failed")
			.with("delayqueue.queues.failed.max-attempts=3")) {
			application.start(Orders.class);
		}
		assertThat(output).containsOnlyOnce(LINE + "'order-timeuot' (is 'order-timeout' meant?), 'other'\n");
	}

	@Test
	void nothingIsLoggedIfAllConfiguredQueuesHaveAListener(CapturedOutput output) {
		try (TestApplication application = new TestApplication(SharedRedis.get().uri())
			.with("delayqueue.queues.order-timeout.max-attempts=3")) {
			application.start(Orders.class);
		}
		assertThat(output).doesNotContain(LINE);
	}

	static class Orders {

		@DelayedListener(queue = "order-timeout")
		void close(String order) {
		}

	}

}
