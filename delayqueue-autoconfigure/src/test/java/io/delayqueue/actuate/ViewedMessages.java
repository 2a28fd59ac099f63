package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.delivery.MessageHandler;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application whose actuator endpoint shows the messages of a test.
 */
abstract class ViewedMessages {

	static final Duration HOUR = Duration.ofHours(1);

	static WebApplication application;

	static DelayQueueOperations delayQueue;

	final CountDownLatch go = new CountDownLatch(1);

	private final List<QueueConsumer> consumers = new ArrayList<>();

	@BeforeAll
	static void startApplication() {
		application = WebApplication.start(SharedRedis.get().uri(), "delayqueue.queues.parted.partitions=3",
				"delayqueue.queues.again.max-attempts=5");
		delayQueue = application.bean(DelayQueueOperations.class);
	}

	@AfterAll
	static void stopApplication() {
		application.close();
	}

	/** Keeps the set of queues, because the application has cached it. */
	@AfterEach
	void emptyQueues() {
		this.go.countDown();
		this.consumers.forEach((consumer) -> consumer.stop(HOUR));
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("EVAL", "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end", "0",
					application.prefix() + ":{*");
		}
	}

	Instant schedule(String queue, String id, Duration delay) {
		ScheduleResult result = delayQueue.schedule(ScheduleRequest.to(queue).payload("p").id(id).delay(delay));
		return result.dueAt();
	}

	void consume(String queue, int concurrency, MessageHandler handler) {
		this.consumers.add(application.consume(queue, concurrency, handler));
	}

	Answer get(String path) {
		return application.get("/actuator/delayqueue/" + path);
	}

	static void assertUnknown(Answer answer, String what) {
		assertThat(answer.status()).isEqualTo(404);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:unknown-" + what);
		assertThat(answer.json().propertyNames()).containsExactly("type", "title", "status");
	}

}
