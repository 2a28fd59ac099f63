package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.BatchFailedException;
import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.BatchHistories;
import io.delayqueue.journey.fixture.BatchHistories.HandlerResult;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rounds of random batches in two processes, and the histories of their messages.
 */
final class BatchStory {

	static final int PARTITIONS = 2;

	static final int MOST_ATTEMPTS = 3;

	private static final int MOST_READ = 24;

	// shared, safe for use by several threads

	private final BatchHistories histories;

	private final Queue<String> mixed = new ConcurrentLinkedQueue<>();

	// confined to the thread of the test

	private final Random random;

	private final RedisServer redis;

	private final FaultProxy way;

	private final String prefix;

	private final ConfigurableApplicationContext mortal;

	private final ConfigurableApplicationContext survivor;

	private int silenced;

	BatchStory(RedisServer redis, FaultProxy way, TestApplication applications, long seed) {
		this.redis = redis;
		this.way = way;
		this.histories = new BatchHistories(seed, MOST_ATTEMPTS);
		this.random = new Random(seed);
		this.prefix = applications.prefix();
		this.mortal = applications.start(Taker.class);
		this.survivor = applications.with("spring.data.redis.url=" + redis.uri()).start(Taker.class);
		this.mortal.getBean(Taker.class).behaviour = this::take;
		this.survivor.getBean(Taker.class).behaviour = this::take;
	}

	void round(int number, boolean silence) {
		int count = silence ? 1 + this.random.nextInt(MOST_READ) : 20 + this.random.nextInt(60);
		List<ScheduleRequest> requests = new ArrayList<>();
		Instant due = Instant.now().plusMillis(50);
		for (int i = 0; i < count; i++) {
			ScheduleRequest request = ScheduleRequest.to("taken")
				.payload(1000 * number + i)
				.dueAt(due.plusMillis(this.random.nextInt(30)));
			request = (i % 4 == 0) ? request.id("m-" + number + "-" + i) : request;
			requests.add((i % 3 == 0) ? request : request.group("g-" + this.random.nextInt(4)));
		}
		if (silence) {
			fallSilent(requests);
		}
		else {
			schedule(requests);
			awaitEnd();
		}
		requests.forEach((request) -> this.histories.assertEnded(payload(request), silence));
		assertThat(this.mixed).as("batches of several groups").isEmpty();
		assertThat(deadLetters()).isEqualTo(this.histories.dead());
	}

	/** All messages that a process has read are redelivered, started or not. */
	private void fallSilent(List<ScheduleRequest> requests) {
		CountDownLatch go = new CountDownLatch(1);
		container(this.survivor).pause();
		this.mortal.getBean(Taker.class).behaviour = (batch) -> {
			batch.forEach((message) -> this.histories.enter(message, batch.size(), HandlerResult.SILENT));
			assertThat(go.await(2, TimeUnit.MINUTES)).isTrue();
			if (batch.size() % 2 == 0) {
				throw new IllegalStateException("too late");
			}
		};
		schedule(requests);
		await("all are read").until(() -> pending() == requests.size());
		await("some have begun").until(() -> begun(requests) > 0);
		this.way.refuse();
		this.way.cutAll();
		container(this.survivor).resume();
		awaitEnd();
		this.silenced += requests.size();
		this.way.pass();
		go.countDown();
		await("too late").until(() -> container(this.mortal).inFlight() == 0);
		assertThat(living()).as("brought back by a late settlement").isZero();
		this.mortal.getBean(Taker.class).behaviour = this::take;
	}

	/**
	 * Schedules the messages without a chosen id and a group in one call, and the others
	 * in another one.
	 */
	private void schedule(List<ScheduleRequest> requests) {
		requests.stream()
			.collect(Collectors.partitioningBy((request) -> request.id().isEmpty() && request.group().isEmpty()))
			.values()
			.forEach(this::scheduleAll);
	}

	private void scheduleAll(List<ScheduleRequest> requests) {
		List<ScheduleAnswer> answers = this.survivor.getBean(DelayQueueOperations.class).scheduleAll(requests);
		assertThat(answers).hasSameSizeAs(requests).allMatch(ScheduleAnswer::isAccepted);
		for (int i = 0; i < answers.size(); i++) {
			this.histories.accepted(payload(requests.get(i)), answers.get(i).id());
		}
	}

	private static int payload(ScheduleRequest request) {
		return (Integer) request.payload().orElseThrow();
	}

	private void take(List<DelayedMessage<Integer>> batch) {
		if (batch.stream().map(DelayedMessage::group).distinct().count() > 1) {
			this.mixed.add(batch.toString());
		}
		boolean all = this.histories.random(batch.get(0)).nextInt(12) == 0;
		BatchFailedException failed = new BatchFailedException();
		for (DelayedMessage<Integer> message : batch) {
			HandlerResult result = all ? HandlerResult.ALL_FAIL : HandlerResult.random(this.histories.random(message));
			if (result == HandlerResult.FAILS) {
				failed.failed(message.id(), new IllegalStateException("fails"));
			}
			else if (result == HandlerResult.DEFERS) {
				failed.failed(message.id(), new DeferException(Duration.ofMillis(10)));
			}
			this.histories.enter(message, batch.size(), result);
		}
		if (all) {
			throw new IllegalStateException("all of them");
		}
		failed.throwIfAny();
	}

	private Set<String> deadLetters() {
		Set<String> ids = new HashSet<>();
		String next = null;
		do {
			DeadLetterPage page = this.survivor.getBean(DelayQueueAdmin.class).deadLetters("taken", next, 7);
			page.deadLetters().stream().map(DeadLetter::id).forEach(ids::add);
			next = page.next();
		}
		while (next != null);
		return ids;
	}

	private void awaitEnd() {
		await("all are done or dead").until(() -> living() == 0 && pending() == 0);
	}

	private long begun(List<ScheduleRequest> requests) {
		return requests.stream().filter((request) -> this.histories.hasBegun(payload(request))).count();
	}

	private long living() {
		return sum((partition) -> number("HLEN", partition + "messages") - number("ZCARD", partition + "dead"));
	}

	private long pending() {
		return sum((partition) -> {
			Object pending = number("EXISTS", partition + "ready") == 0 ? List.of(0L)
					: this.redis.call("XPENDING", partition + "ready", "consumers");
			return (Long) ((List<?>) Objects.requireNonNull(pending)).get(0);
		});
	}

	private long sum(ToLongFunction<String> number) {
		return IntStream.range(0, PARTITIONS)
			.mapToObj((partition) -> this.prefix + ":{taken:" + partition + "}:")
			.mapToLong(number)
			.sum();
	}

	private long number(String command, String key) {
		return (Long) Objects.requireNonNull(this.redis.call(command, key));
	}

	String total() {
		return this.histories + ", " + this.silenced + " of silent processes";
	}

	private static DelayedListenerContainer container(ConfigurableApplicationContext process) {
		return process.getBean(DelayedListenerRegistry.class).container("taken").orElseThrow();
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).pollInterval(Duration.ofMillis(5));
	}

	static class Taker {

		private volatile Behaviour behaviour = (batch) -> {
		};

		@DelayedListener(queue = "taken", batch = "6", batchWait = "20ms", groupBy = true, concurrency = "" + MOST_READ)
		void take(List<DelayedMessage<Integer>> batch) throws Exception {
			this.behaviour.take(batch);
		}

	}

	@FunctionalInterface
	private interface Behaviour {

		void take(List<DelayedMessage<Integer>> batch) throws Exception;

	}

}
