package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.PurgeResult;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QueueStatus;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An operator pauses, drains and purges a queue of three partitions that other processes
 * consume. Each application has loops and connections of its own, as in a process of its
 * own.
 */
@SuppressWarnings("NullAway.Init")
class WholeQueueIntegrationTests {

	private static final String QUEUE = "whole";

	private RedisServer redis;

	private TestApplication applications;

	private DelayQueueOperations queue;

	private DelayQueueAdmin admin;

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

	@Configuration(proxyBeanMethods = false)
	@Import(Worker.class)
	static class Narrow {

		@Bean
		ExecutorService single() {
			return Executors.newSingleThreadExecutor();
		}

	}

	@Test
	void aPauseStopsAllProcessesAndAResumeBringsEverythingOnce() {
		Worker one = worker();
		Worker other = worker();
		schedule(0, 60);
		awaitHandled(60, one, other);

		Instant before = Instant.now();
		QueueStatus paused = this.admin.pause(QUEUE);
		assertThat(paused.pausedSince()).isBetween(before.minusMillis(1), Instant.now());
		schedule(60, 600);
		awaitLooks();

		assertThat(count(one, other)).as("handled while paused").isEqualTo(60);
		assertThat(this.admin.pause(QUEUE)).isEqualTo(paused);
		assertThat(this.admin.status(QUEUE)).isEqualTo(paused);
		this.admin.resume(QUEUE);

		awaitHandled(600, one, other);
		awaitEmpty();
		assertThat(runs(one, other)).extracting(Handled.Run::id).hasSize(600).doesNotHaveDuplicates();
		assertThat(runs(one, other)).extracting(Handled.Run::attempt).containsOnly(1);
		assertThat(List.of(one, other)).as("both work")
			.allSatisfy((worker) -> assertThat(worker.handled.runs()).isNotEmpty());
		assertThat(this.admin.status(QUEUE)).isEqualTo(new QueueStatus(QUEUE, null, null));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void withoutHintsAPauseIsNoticedAllTheSame(boolean sweeps) {
		this.redis.call("ACL", "SETUSER", "default", "-publish");
		Worker one = worker();
		Worker other = workerThatSweeps(sweeps);
		schedule(0, 10);
		awaitHandled(10, one, other);

		this.admin.pause(QUEUE);
		schedule(10, 50);
		awaitLooks();
		assertThat(count(one, other)).isEqualTo(10);
		this.admin.resume(QUEUE);

		awaitHandled(50, one, other);
		awaitEmpty();
		assertThat(runs(one, other)).extracting(Handled.Run::id).hasSize(50).doesNotHaveDuplicates();
	}

	/** Where nothing sweeps, only the fence of a read tells of the pause. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whatIsReadyWhenThePauseBeginsIsNotHandledAndNotBlamed(boolean sweeps) {
		ConfigurableApplicationContext sweeper = this.applications.start(Worker.class);
		sweeper.getBean(DelayedListenerRegistry.class).container(QUEUE).orElseThrow().pause();
		Worker busy = workerThatSweeps(sweeps);
		busy.go = new CountDownLatch(1);
		schedule(0, 200);
		busy.begun.acquireUninterruptibly(6);
		Awaitility.await().until(() -> sum("XLEN", "ready") == 200);
		this.admin.pause(QUEUE);

		busy.go.countDown();

		Awaitility.await().until(() -> busy.handled.runs().size() >= 6);
		awaitLooks();
		assertThat(busy.handled.runs()).hasSize(6);
		this.admin.resume(QUEUE);
		awaitHandled(200, busy);
		awaitEmpty();
		assertThat(busy.handled.runs()).extracting(Handled.Run::attempt).containsOnly(1);
		assertThat(busy.handled.ids()).hasSize(200).doesNotHaveDuplicates();
	}

	/** A single thread for handlers: the others were read and wait for it. */
	@Test
	void whatWasReadAndHasNotBegunDoesNotBegin() {
		Worker narrow = this.applications.with("executor=single").start(Narrow.class).getBean(Worker.class);
		narrow.go = new CountDownLatch(1);
		schedule(0, 6);
		narrow.begun.acquireUninterruptibly();
		Awaitility.await().until(() -> pending() == 6);
		this.admin.pause(QUEUE);
		awaitLooks();

		narrow.go.countDown();

		Awaitility.await().until(() -> pending() == 0);
		awaitLooks();
		assertThat(narrow.handled.runs()).hasSize(1);
		this.admin.resume(QUEUE);
		awaitHandled(6, narrow);
		awaitEmpty();
		assertThat(narrow.handled.runs()).extracting(Handled.Run::attempt).containsOnly(1);
	}

	@Test
	void aPauseOutlastsTheProcesses() {
		ConfigurableApplicationContext first = this.applications.start(Worker.class);
		String queues = this.applications.prefix() + ":queues";
		Awaitility.await().until(() -> this.redis.call("HEXISTS", queues, QUEUE).equals(1L));
		Instant since = this.admin.pause(QUEUE).pausedSince();
		first.close();
		schedule(0, 20);
		Worker second = worker();
		awaitLooks();

		assertThat(second.handled.runs()).isEmpty();
		assertThat(second().status(QUEUE).pausedSince()).isEqualTo(since);
		second().resume(QUEUE);

		awaitHandled(20, second);
	}

	@Test
	void aDrainingQueueRefusesAndDelivers() {
		Worker worker = worker();
		worker.broken = true;
		Instant due = Instant.now().plusSeconds(1);
		for (int i = 0; i < 10; i++) {
			this.queue.schedule(ScheduleRequest.to(QUEUE).payload("x").id("id-" + i).dueAt(due));
		}
		QueueStatus draining = this.admin.drain(QUEUE);
		assertThat(draining.isDraining()).isTrue();
		assertThat(this.admin.drain(QUEUE)).isEqualTo(draining);

		assertThatExceptionOfType(QueueDrainingException.class).isThrownBy(() -> schedule(10, 11))
			.withMessageContaining("'id-10'")
			.withMessageContaining("reopen(\"whole\")")
			.satisfies((refusal) -> {
				assertThat(refusal.queue()).isEqualTo(QUEUE);
				assertThat(refusal.messageId()).isEqualTo("id-10");
				assertThat(refusal.since()).isAfterOrEqualTo(draining.drainingSince());
			});
		List<ScheduleAnswer> answers = this.queue
			.scheduleAll(List.of(request(11), ScheduleRequest.to("other").payload("x").delay(Duration.ofDays(1))));
		assertThat(answers.get(0).failure()).isInstanceOf(QueueDrainingException.class);
		assertThat(answers.get(1).isAccepted()).isTrue();
		assertThat(this.queue.find(QUEUE, "id-10")).isEmpty();

		worker.handled.await(15);
		worker.broken = false;
		awaitEmpty();
		assertThat(worker.handled.ids()).contains("id-0", "id-9").doesNotContain("id-10", "id-11");
		assertThat(this.admin.reopen(QUEUE)).isEqualTo(new QueueStatus(QUEUE, null, null));
		schedule(10, 12);
		awaitEmpty();
		assertThat(worker.handled.ids()).contains("id-10", "id-11");
	}

	@Test
	void aPurgeRemovesTenThousandInShortScriptsAndLeavesDeadLetters() {
		ConfigurableApplicationContext worker = this.applications.start(Worker.class);
		worker.getBean(Worker.class).broken = true;
		this.queue.schedule(request(20_000));
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> !this.admin.deadLetters(QUEUE, null, 10).deadLetters().isEmpty());
		worker.close();
		Instant due = Instant.now().plusSeconds(3600);
		List<ScheduleRequest> all = IntStream.range(0, 10_000)
			.mapToObj((i) -> ScheduleRequest.to(QUEUE).payload("x").id("id-" + i).dueAt(due.plusMillis(i)))
			.toList();
		assertThat(this.queue.scheduleAll(all)).allMatch(ScheduleAnswer::isAccepted);

		PurgeResult purged;
		try (CommandLog log = CommandLog.of(this.redis)) {
			purged = this.admin.purge(QUEUE);
			assertThat(log.count()).as("calls").isBetween(100L, 400L);
		}

		assertThat(purged).isEqualTo(new PurgeResult(QUEUE, 10_000, 0, 0));
		assertThat(this.admin.purge(QUEUE)).isEqualTo(new PurgeResult(QUEUE, 0, 0, 0));
		assertThat(this.admin.deadLetters(QUEUE, null, 10).deadLetters()).hasSize(1);
		assertThat(this.admin.purgeWithDeadLetters(QUEUE)).isEqualTo(new PurgeResult(QUEUE, 0, 0, 1));
		assertThat(this.admin.deadLetters(QUEUE, null, 10).deadLetters()).isEmpty();
		assertThat(held()).isZero();
		assertThat(this.queue.schedule(request(5)).outcome()).isEqualTo(Outcome.CREATED);
	}

	@Test
	void whatIsScheduledDuringAPurgeIsRemovedOrKeptAsAWhole() throws InterruptedException {
		AtomicBoolean enough = new AtomicBoolean();
		List<String> accepted = new ArrayList<>();
		DelayQueueOperations producer = this.applications.producer();
		Thread scheduling = new Thread(() -> {
			for (int i = 0; i < 500 || (i < 1500 && !enough.get()); i++) {
				Duration delay = Duration.ofSeconds((i % 2 == 0) ? 3600 : 7200).plusMillis(i % 100);
				accepted.add(producer.schedule(QUEUE, "x", delay).id());
			}
		});
		scheduling.start();
		Awaitility.await().until(() -> held() > 100);
		long purged = 0;
		for (int i = 0; i < 5; i++) {
			purged += this.admin.purge(QUEUE).total();
		}
		enough.set(true);
		scheduling.join();

		assertThat(purged).isPositive();
		long kept = held();
		assertThat(kept + purged).isEqualTo(accepted.size());
		assertThat(sum("ZCARD", "scheduled")).isEqualTo(kept);
		assertThat(this.admin.purge(QUEUE).total()).isEqualTo(kept);
		assertThat(held() + sum("ZCARD", "scheduled")).isZero();
	}

	@Test
	void whatIsHandledDuringAPurgeMayFinishAndIsNotRetried() {
		Worker worker = worker();
		worker.broken = true;
		worker.go = new CountDownLatch(1);
		schedule(0, 3);
		worker.begun.acquireUninterruptibly(3);

		assertThat(this.admin.purge(QUEUE)).isEqualTo(new PurgeResult(QUEUE, 0, 3, 0));
		worker.go.countDown();

		worker.handled.await(3);
		Awaitility.await().until(() -> sum("XLEN", "ready") == 0);
		assertThat(held() + sum("ZCARD", "scheduled") + sum("HLEN", "entries")).isZero();
		assertThat(worker.handled.runs()).hasSize(3);
	}

	@Test
	void aQueueThatNobodyHasUsedIsRefused() {
		for (String name : List.of("whoel", "not a name", "")) {
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> this.admin.pause(name));
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> this.admin.status(name));
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> this.admin.purge(name));
		}
		assertThat(this.redis.call("EXISTS", this.applications.prefix() + ":{whoel:0}:control")).isEqualTo(0L);
	}

	/** Who operates need not be configured as those are who consume. */
	@Test
	void everyPartitionIsMeantAlsoByAProcessThatIsConfiguredOtherwise() {
		schedule(0, 30);
		this.applications.without("delayqueue.queues.whole.partitions");
		DelayQueueAdmin other = this.applications.start().getBean(DelayQueueAdmin.class);
		other.pause(QUEUE);
		for (int number = 0; number < 3; number++) {
			assertThat(this.redis.call("HEXISTS", key(number, "control"), "paused")).isEqualTo(1L);
		}
		assertThat(other.purge(QUEUE).total()).isEqualTo(30);
	}

	private Worker worker() {
		return this.applications.start(Worker.class).getBean(Worker.class);
	}

	private Worker workerThatSweeps(boolean sweeps) {
		this.applications.with("delayqueue.sweeper.enabled=" + sweeps);
		return worker();
	}

	/** As another process sees it. */
	private DelayQueueAdmin second() {
		return this.applications.start().getBean(DelayQueueAdmin.class);
	}

	/** Schedules messages that are due at once. */
	private void schedule(int from, int to) {
		List<ScheduleAnswer> answers = this.queue
			.scheduleAll(IntStream.range(from, to).mapToObj(this::request).toList());
		answers.forEach((answer) -> {
			if (answer.failure() != null) {
				throw answer.failure();
			}
		});
	}

	private ScheduleRequest request(int number) {
		return ScheduleRequest.to(QUEUE).payload("x").id("id-" + number).delay(Duration.ZERO);
	}

	/** Waits until sweepers and readers have looked several times. */
	private void awaitLooks() {
		try (CommandLog log = CommandLog.of(this.redis)) {
			for (int number = 0; number < 3; number++) {
				String partition = "{" + QUEUE + ":" + number + "}";
				Awaitility.await()
					.atMost(Duration.ofSeconds(30))
					.until(() -> log.commands()
						.stream()
						.filter((one) -> one.toString().contains(partition))
						.count() > 15);
			}
		}
	}

	private void awaitEmpty() {
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> held() + sum("XLEN", "ready") == 0);
	}

	private void awaitHandled(int count, Worker... workers) {
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> count(workers) >= count);
	}

	private static int count(Worker... workers) {
		return runs(workers).size();
	}

	private static List<Handled.Run> runs(Worker... workers) {
		return List.of(workers).stream().map((worker) -> worker.handled.runs()).flatMap(Collection::stream).toList();
	}

	private long pending() {
		return IntStream.range(0, 3)
			.mapToLong((
					number) -> (Long) ((List<?>) this.redis.call("XPENDING", key(number, "ready"), "consumers")).get(0))
			.sum();
	}

	private long held() {
		return sum("HLEN", "messages");
	}

	private long sum(String command, String key) {
		return IntStream.range(0, 3)
			.mapToLong((number) -> Long.parseLong(String.valueOf(this.redis.call(command, key(number, key)))))
			.sum();
	}

	private String key(int partition, String key) {
		return this.applications.prefix() + ":{" + QUEUE + ":" + partition + "}:" + key;
	}

}
