package io.delayqueue.fault;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.RawPartition;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A process of this version beside processes of a future version, whose data is written
 * by hand.
 */
@SuppressWarnings("NullAway.Init")
@ExtendWith(OutputCaptureExtension.class)
abstract class UpgradedQueue {

	RedisServer redis;

	TestApplication application;

	RawPartition partition;

	DelayQueueOperations queue;

	ConfigurableApplicationContext context;

	Trees trees;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
		this.application = new TestApplication(this.redis.uri()).with("delayqueue.sweeper.interval=100ms")
			.with("delayqueue.defaults.visibility-timeout=12s");
		this.partition = new RawPartition(this.redis, this.application.prefix() + ":{trees:0}:");
		startApplication();
	}

	void startApplication() {
		this.context = this.application.start(Trees.class);
		this.queue = this.context.getBean(DelayQueueOperations.class);
		this.trees = this.context.getBean(Trees.class);
	}

	@AfterEach
	void stop() {
		this.trees.gate.release(1000);
		this.application.close();
		this.redis.close();
	}

	static class Trees {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<String> handled = new CopyOnWriteArrayList<>();

		final Semaphore gate = new Semaphore(0);

		@DelayedListener(queue = "trees")
		void handle(DelayedMessage<Map<String, Object>> tree) throws InterruptedException {
			this.begun.add(tree.id());
			if (tree.id().startsWith("held")) {
				this.gate.acquire();
			}
			this.handled.add(tree.id() + " " + tree.payload() + " " + tree.attempt());
		}

		@DelayedListener(queue = "bushes")
		void handleBush(DelayedMessage<Map<String, Object>> bush) {
			this.handled.add(bush.id() + " " + bush.payload() + " " + bush.attempt());
		}

	}

	void schedule(String name, String id) {
		this.queue.schedule(ScheduleRequest.to(name).id(id).payload(Map.of()).delay(Duration.ZERO));
	}

	void awaitHandled(String line) {
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> this.trees.handled.contains(line));
	}

	void awaitEmpty() {
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> Objects.equals(this.partition.call("HLEN", "messages"), 0L) && this.partition.entries() == 0);
	}

}
