package io.delayqueue.journey;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application with one listener bean, on a Redis server of its own.
 */
@SuppressWarnings("NullAway.Init")
abstract class ListeningApplication {

	RedisServer redis;

	TestApplication applications;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.defaults.visibility-timeout=30s")
			.with("delayqueue.defaults.back-off.first=100ms")
			.with("delayqueue.defaults.back-off.jitter=0");
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	<T> Started<T> start(Class<T> listener) {
		ConfigurableApplicationContext context = this.applications.start(listener);
		return new Started<>(context.getBean(listener), context.getBean(DelayQueueOperations.class));
	}

	record Started<T>(T bean, DelayQueueOperations queue) {

		void schedule(String name, String id) {
			this.queue.schedule(ScheduleRequest.to(name).payload("p").id(id).delay(Duration.ZERO));
		}

		MessageSnapshot awaitState(String name, String id, MessageState state) {
			Awaitility.await()
				.until(() -> this.queue.find(name, id).map(MessageSnapshot::state).filter(state::equals).isPresent());
			return this.queue.find(name, id).orElseThrow();
		}

		void awaitGone(String name, String id) {
			Awaitility.await().until(() -> this.queue.find(name, id).isEmpty());
		}

	}

}
