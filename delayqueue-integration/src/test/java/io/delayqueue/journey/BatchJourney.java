package io.delayqueue.journey;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Batches;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.context.ConfigurableApplicationContext;

/** An application with batch listeners, on its own Redis. */
@SuppressWarnings("NullAway.Init")
abstract class BatchJourney {

	/** The longest wait for a batch, longer than any test. */
	static final String NEVER = "1m";

	RedisServer redis;

	TestApplication applications;

	ConfigurableApplicationContext context;

	Batches batches;

	DelayQueueOperations queue;

	private String prefix;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.defaults.visibility-timeout=30m")
			.with("delayqueue.defaults.back-off.first=100ms");
		this.prefix = this.applications.prefix();
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	void start(String... properties) {
		start(this.applications, properties);
	}

	void start(TestApplication application, String... properties) {
		for (String property : properties) {
			application.with(property);
		}
		this.prefix = application.prefix();
		this.context = application.start(Batches.class);
		this.batches = this.context.getBean(Batches.class);
		this.queue = this.context.getBean(DelayQueueOperations.class);
	}

	static ScheduleRequest request(String queue, String id) {
		return ScheduleRequest.to(queue).id(id).payload("p");
	}

	/**
	 * The messages are due at one future instant, so that one sweep moves all of them.
	 */
	void schedule(String name, String... ids) {
		Instant due = Instant.now().plusMillis(500);
		List<ScheduleRequest> requests = new ArrayList<>();
		for (String id : ids) {
			requests.add(request(name, id).dueAt(due));
		}
		this.queue.scheduleAll(requests);
	}

	void scheduleMany(String name, String prefix, int count) {
		schedule(name, IntStream.range(0, count).mapToObj((i) -> prefix + "-" + i).toArray(String[]::new));
	}

	List<Integer> attemptsOf(String id) {
		return this.batches.runs.stream()
			.flatMap((run) -> run.messages().stream())
			.filter((message) -> message.id().equals(id))
			.map(DelayedMessage::attempt)
			.toList();
	}

	String awaitDead(String name, String id) {
		DelayQueueAdmin admin = this.context.getBean(DelayQueueAdmin.class);
		Awaitility.await().until(() -> admin.deadLetter(MessageKey.of(name, id)).isPresent());
		DeadLetter dead = admin.deadLetter(MessageKey.of(name, id)).orElseThrow();
		return dead.reason() + " " + dead.message();
	}

	void awaitPending(String name, long count) {
		Awaitility.await().ignoreExceptions().until(() -> pending(name) == count);
	}

	long pending(String name) {
		long count = 0;
		for (int partition = 0; partition < 3; partition++) {
			if (Long.valueOf(1).equals(this.redis.call("EXISTS", key(name, partition, "ready")))) {
				List<?> pending = (List<?>) Objects
					.requireNonNull(this.redis.call("XPENDING", key(name, partition, "ready"), "consumers"));
				count += (Long) pending.get(0);
			}
		}
		return count;
	}

	void awaitEmpty(String name) {
		awaitMessages(name, 0);
	}

	void awaitMessages(String name, int count) {
		Awaitility.await().until(() -> {
			long messages = 0;
			for (int partition = 0; partition < 3; partition++) {
				messages += (Long) Objects.requireNonNull(this.redis.call("HLEN", key(name, partition, "messages")));
			}
			return messages == count;
		});
	}

	String key(String name, String part) {
		return key(name, 0, part);
	}

	private String key(String name, int partition, String part) {
		return this.prefix + ":{" + name + ":" + partition + "}:" + part;
	}

}
