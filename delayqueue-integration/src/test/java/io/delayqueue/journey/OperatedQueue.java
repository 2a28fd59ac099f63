package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * A queue of three partitions, with an operator. Each application has its own loops and
 * connections, as in its own process.
 */
@SuppressWarnings("NullAway.Init")
abstract class OperatedQueue {

	static final String QUEUE = "whole";

	RedisServer redis;

	TestApplication applications;

	DelayQueueOperations queue;

	DelayQueueAdmin admin;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.queues.whole.partitions=3")
			.with("delayqueue.sweeper.interval=100ms")
			.with("delayqueue.defaults.back-off.first=10ms")
			.with("delayqueue.defaults.done-window-of-generated-ids=10m");
		ConfigurableApplicationContext operator = this.applications.start();
		this.queue = operator.getBean(DelayQueueOperations.class);
		this.admin = operator.getBean(DelayQueueAdmin.class);
	}

	@AfterEach
	void stop() {
		this.applications.close();
		this.redis.close();
	}

	static class Worker {

		final Handled handled = new Handled();

		final Semaphore begun = new Semaphore(0);

		volatile CountDownLatch go = new CountDownLatch(0);

		volatile boolean broken;

		@DelayedListener(queue = QUEUE, concurrency = "6", executor = "${executor:}")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.begun.release();
			this.go.await();
			this.handled.add(message);
			if (this.broken) {
				throw new IllegalStateException("broken");
			}
		}

	}

	Worker worker() {
		return this.applications.start(Worker.class).getBean(Worker.class);
	}

	/** Schedules messages that are due at once. */
	void schedule(int from, int to) {
		List<ScheduleAnswer> answers = this.queue
			.scheduleAll(IntStream.range(from, to).mapToObj(this::request).toList());
		answers.forEach((answer) -> {
			if (answer.failure() != null) {
				throw answer.failure();
			}
		});
	}

	ScheduleRequest request(int number) {
		return ScheduleRequest.to(QUEUE).payload("x").id("id-" + number).delay(Duration.ZERO);
	}

	void awaitEmpty() {
		Awaitility.await().until(() -> held() + sum("XLEN", "ready") == 0);
	}

	long held() {
		return sum("HLEN", "messages");
	}

	long sum(String command, String key) {
		return IntStream.range(0, 3)
			.mapToLong((number) -> Long.parseLong(String.valueOf(this.redis.call(command, key(number, key)))))
			.sum();
	}

	String key(int partition, String key) {
		return this.applications.prefix() + ":{" + QUEUE + ":" + partition + "}:" + key;
	}

}
