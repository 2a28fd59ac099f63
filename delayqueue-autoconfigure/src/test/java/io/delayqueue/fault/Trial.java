package io.delayqueue.fault;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.TestApplication;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.test.redis.RedisSentinel;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One application that schedules and handles, and what it should come to: at first things
 * are in order, then a test breaks something, and in the end the ledger must be true and
 * Redis must hold nothing any more.
 */
@SuppressWarnings("NullAway.Init")
final class Trial implements AutoCloseable {

	static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private final TestApplication application;

	private final List<Load> loads = new ArrayList<>();

	private ConfigurableApplicationContext context;

	private Worker worker;

	private DelayQueueOperations queue;

	Trial(URI redis, String... properties) {
		this.application = new TestApplication(redis).with("spring.data.redis.timeout=1s")
			.with("spring.data.redis.connect-timeout=1s")
			.with("delayqueue.defaults.back-off.first=100ms");
		with(properties);
	}

	Trial with(String... properties) {
		for (String property : properties) {
			this.application.with(property);
		}
		return this;
	}

	/** On the nodes of a cluster. */
	Trial onCluster(List<String> addresses) {
		this.application.without("spring.data.redis.url")
			.with("spring.data.redis.cluster.nodes=" + String.join(",", addresses));
		return this;
	}

	/** On the master that sentinels name. */
	Trial onSentinel(RedisSentinel redis) {
		this.application.without("spring.data.redis.url")
			.with("spring.data.redis.sentinel.master=" + RedisSentinel.MASTER_NAME)
			.with("spring.data.redis.sentinel.nodes=" + String.join(",", redis.addresses()));
		return this;
	}

	Trial start() {
		this.context = this.application.start(Worker.class);
		this.worker = this.context.getBean(Worker.class);
		this.queue = this.context.getBean(DelayQueueOperations.class);
		return this;
	}

	/** As {@link #start}, and waits until a message has made the whole journey. */
	Trial startWarm() {
		start();
		for (String name : List.of(Worker.QUEUE, Worker.OTHER_QUEUE)) {
			awaitGone(name, this.queue.schedule(ScheduleRequest.to(name).payload("warm").delay(Duration.ZERO)).id());
		}
		return this;
	}

	TestApplication application() {
		return this.application;
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	Worker worker() {
		return this.worker;
	}

	Ledger ledger() {
		return this.worker.ledger;
	}

	DelayQueueOperations queue() {
		return this.queue;
	}

	/** A message with a generated id. */
	void schedule(String name, Duration delay) {
		ledger().schedule(this.queue, ScheduleRequest.to(Worker.QUEUE).delay(delay), name);
	}

	/** A message whose name is its id as well. */
	void scheduleChosen(String id, Duration delay) {
		ledger().schedule(this.queue, ScheduleRequest.to(Worker.QUEUE).id(id).delay(delay), id);
	}

	/** The id of a message that was accepted. */
	String id(String name) {
		return ledger().id(name);
	}

	/** So many messages for one instant: name-00000 and on. */
	void scheduleAll(String name, int count, Duration delay) {
		Instant due = Instant.now().plus(delay);
		List<ScheduleRequest> requests = IntStream.range(0, count)
			.mapToObj((i) -> ScheduleRequest.to(Worker.QUEUE).payload(name + "-" + String.format("%05d", i)).dueAt(due))
			.toList();
		ledger().entered(requests, this.queue.scheduleAll(requests));
	}

	/** Schedules all the time until the load or this trial is closed. */
	Load load(int perSecond) {
		return load(Worker.QUEUE, ledger(), perSecond);
	}

	Load load(String name, Ledger into, int perSecond) {
		Load load = new Load(this.queue, name, into, perSecond);
		this.loads.add(load);
		return load;
	}

	String key(String name) {
		return key(Worker.QUEUE, name);
	}

	String key(String queueName, String name) {
		return this.application.prefix() + ":{" + queueName + ":0}:" + name;
	}

	MessageSnapshot awaitState(String id, MessageState state) {
		Awaitility.await()
			.atMost(LONG_ENOUGH)
			.ignoreExceptions()
			.until(() -> this.queue.find(Worker.QUEUE, id)
				.map(MessageSnapshot::state)
				.filter(state::equals)
				.isPresent());
		return this.queue.find(Worker.QUEUE, id).orElseThrow();
	}

	void awaitGone(String name, String id) {
		Awaitility.await().atMost(LONG_ENOUGH).ignoreExceptions().until(() -> this.queue.find(name, id).isEmpty());
	}

	/**
	 * The background activities that failed the last time.
	 */
	List<LoopStatus> failing() {
		return this.context.getBean(LoopRegistry.class)
			.statuses()
			.stream()
			.filter((status) -> status.lastFailure() != null || !status.alive())
			.toList();
	}

	/**
	 * Waits until all is handled and nothing is left of it, and looks into the ledger.
	 */
	void assertAllIsWell(RedisServer redis) {
		ledger().awaitAccepted();
		Awaitility.await().atMost(LONG_ENOUGH).untilAsserted(() -> {
			for (String count : List.of("HLEN messages", "ZCARD scheduled", "XLEN ready", "HLEN entries",
					"HLEN failures", "ZCARD dead")) {
				String[] parts = count.split(" ", -1);
				assertThat(redis.call(parts[0], key(parts[1]))).as(count).isEqualTo(0L);
			}
			Object pending = redis.call("XPENDING", key("ready"), "consumers");
			assertThat(((List<?>) pending).get(0)).as("pending").isEqualTo(0L);
		});
		Awaitility.await().atMost(LONG_ENOUGH).untilAsserted(() -> assertThat(failing()).isEmpty());
		ledger().assertTrue();
	}

	@Override
	public void close() {
		try {
			this.loads.forEach(Load::close);
		}
		finally {
			this.application.close();
		}
	}

}
