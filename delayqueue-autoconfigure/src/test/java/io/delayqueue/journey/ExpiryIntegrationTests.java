package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages that have expired when an attempt is about to start. */
@SuppressWarnings("NullAway.Init")
class ExpiryIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration SHORT = Duration.ofMillis(300);

	private TestApplication application;

	private ConfigurableApplicationContext context;

	private DelayQueueOperations queue;

	private DelayQueueAdmin admin;

	private Late late;

	@BeforeEach
	void start() {
		this.application = new TestApplication(SharedRedis.get().uri()).with("delayqueue.defaults.back-off.first=20ms")
			.with("delayqueue.queues.dropping.expiry.then=drop")
			.with("delayqueue.queues.dropping.expiry.after=" + SHORT.toMillis() + "ms");
		this.context = this.application.start(Late.class);
		this.queue = this.context.getBean(DelayQueueOperations.class);
		this.admin = this.context.getBean(DelayQueueAdmin.class);
		this.late = this.context.getBean(Late.class);
	}

	@AfterEach
	void stop() {
		this.late.go.countDown();
		this.application.close();
	}

	@Test
	void messageThatExpiresBeforeItsReadIsDeadLetteredWithoutAFailure() {
		scheduleStopped("plain", "x");

		assertExpired(awaitDead("plain", "x"), 0);
		assertThat(this.late.expired).containsExactly("x DEAD_LETTERED");
		assertThat(this.late.handled.runs()).isEmpty();
	}

	@Test
	void messageThatExpiresInADroppingQueueIsRemoved() {
		scheduleStopped("dropping", "x");

		awaitGone("dropping", "x");
		Awaitility.await().until(() -> this.late.expired.equals(List.of("x DROPPED")));
		assertThat(this.late.handled.runs()).isEmpty();
		assertThat(this.queue.schedule(request("dropping", "x")).outcome()).as("as after handling")
			.isEqualTo(ScheduleResult.Outcome.DONE);
	}

	@Test
	void messageThatExpiresWhileItWaitsForAThreadIsDeadLettered() throws Exception {
		this.queue.schedule(request("one-thread", "first"));
		this.late.begun.await();
		Instant expiry = schedule(request("one-thread", "second").expireAfter(SHORT));
		this.queue.schedule(request("one-thread", "third"));
		for (String id : List.of("second", "third")) {
			Awaitility.await()
				.until(() -> this.queue.find("one-thread", id)
					.map(MessageSnapshot::state)
					.filter(MessageState.PENDING::equals)
					.isPresent());
		}
		awaitPast(expiry);

		this.late.go.countDown();

		assertExpired(awaitDead("one-thread", "second"), 0);
		assertThat(this.late.handled.await(2)).extracting(Handled.Run::id).containsExactly("first", "third");
	}

	@Test
	void messageThatExpiresWhileItsBatchIsCollectedIsNotInIt() {
		Instant due = Instant.now().plusMillis(200);
		this.queue.scheduleAll(List.of(request("batched", "a").dueAt(due), request("batched", "b").dueAt(due),
				request("batched", "c").dueAt(due).expireAfter(SHORT),
				request("batched", "d").dueAt(due).expireAfter(LONG)));

		assertExpired(awaitDead("batched", "c"), 0);
		this.late.handled.await(3);
		assertThat(this.late.batches).containsExactly(List.of("a", "b", "d"));
	}

	@Test
	void retryThatIsDueAfterTheExpiryDoesNotStart() {
		this.queue.schedule(request("failing", "x").backOff(BackOffPolicy.fixed(LONG.multipliedBy(2)))
			.expireAfter(Duration.ofSeconds(5)));

		assertExpired(awaitDead("failing", "x"), 1);
		assertThat(this.late.handled.runs()).hasSize(1);
	}

	@Test
	void handlerThatStartedInTimeMayRunBeyondTheExpiry() throws Exception {
		Instant expiry = schedule(request("one-thread", "x").expireAfter(Duration.ofSeconds(5)));
		this.late.begun.await();
		awaitPast(expiry);
		this.late.go.countDown();

		awaitGone("one-thread", "x");
		assertThat(this.late.handled.ids()).containsExactly("x");
		assertThat(this.late.expired).isEmpty();
	}

	@Test
	void expiredHandlerMethodFollowsTheRulesOfAHandlerMethod() {
		scheduleStopped("handed", "x");

		awaitGone("handed", "x");
		assertThat(this.late.handled.runs()).as("not in time").isEmpty();
		assertThat(this.late.handedOver.runs()).extracting(Handled.Run::attempt).containsExactly(1, 2);
		assertThat(this.late.expired).containsExactly("x HANDED_OVER");

		scheduleStopped("handed", "never");

		DeadLetter dead = awaitDead("handed", "never");
		assertThat(dead.reason()).isEqualTo("HANDLER_FAILED");
		assertThat(dead.failures()).isEqualTo(5);
		assertThat(this.late.expired).containsExactly("x HANDED_OVER", "never DEAD_LETTERED");
	}

	@Test
	void expiredHandlerMethodIsRetriedAfterTheBackOff() {
		Duration wait = Duration.ofMillis(500);
		DelayedListenerRegistry registry = this.context.getBean(DelayedListenerRegistry.class);
		registry.stop("handed");
		awaitPast(schedule(request("handed", "patient").expireAfter(SHORT).backOff(BackOffPolicy.fixed(wait))));
		registry.start("handed");

		List<Handled.Run> runs = this.late.handedOver.await(2);
		assertThat(Duration.between(runs.get(0).at(), runs.get(1).at())).isGreaterThanOrEqualTo(wait);
	}

	@Test
	void expiredMessagesOfABatchAreHandledOneByOne() {
		scheduleStopped("handed-batches", "a", "b", "in time");

		this.late.handled.await(1);
		assertThat(this.late.handedOver.await(2)).extracting(Handled.Run::id).containsExactly("a", "b");
		assertThat(this.late.batches).containsExactly(List.of("in time"));
		awaitGone("handed-batches", "b");
	}

	/**
	 * Schedules messages that have expired when they are read, while the listener is
	 * stopped.
	 */
	private void scheduleStopped(String name, String... ids) {
		DelayedListenerRegistry registry = this.context.getBean(DelayedListenerRegistry.class);
		registry.stop(name);
		for (String id : ids) {
			ScheduleRequest request = request(name, id);
			Instant due = schedule(
					id.equals("in time") || name.equals("dropping") ? request : request.expireAfter(SHORT));
			awaitPast(due.plus(SHORT));
		}
		registry.start(name);
	}

	private static ScheduleRequest request(String name, String id) {
		return ScheduleRequest.to(name).id(id).payload(id).delay(Duration.ZERO);
	}

	/** Schedules, and returns the expiry if it is near. */
	private Instant schedule(ScheduleRequest request) {
		return this.queue.schedule(request).dueAt().plus(request.expireAfter().orElse(Duration.ZERO));
	}

	/** The server and the test share a clock. */
	private static void awaitPast(Instant expiry) {
		Awaitility.await().until(() -> Instant.now().isAfter(expiry.plusMillis(10)));
	}

	private DeadLetter awaitDead(String name, String id) {
		MessageKey key = MessageKey.of(name, id);
		Awaitility.await().until(() -> this.admin.deadLetter(key).isPresent());
		return this.admin.deadLetter(key).orElseThrow();
	}

	private void awaitGone(String name, String id) {
		Awaitility.await().until(() -> this.queue.find(name, id).isEmpty());
	}

	private static void assertExpired(DeadLetter dead, int failures) {
		assertThat(dead.reason()).isEqualTo("EXPIRED");
		assertThat(dead.message()).startsWith("expired at ")
			.endsWith(", when attempt " + (failures + 1) + " had not begun");
		assertThat(dead.failures()).isEqualTo(failures);
	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		final Handled handled = new Handled();

		final Handled handedOver = new Handled();

		final List<List<String>> batches = new CopyOnWriteArrayList<>();

		final List<String> expired = new CopyOnWriteArrayList<>();

		final CountDownLatch begun = new CountDownLatch(1);

		final CountDownLatch go = new CountDownLatch(1);

		@DelayedListener(queue = "plain")
		void plain(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		@DelayedListener(queue = "dropping")
		void dropping(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		@DelayedListener(queue = "one-thread", executor = "oneThread", concurrency = "3")
		void oneThread(DelayedMessage<String> message) throws InterruptedException {
			this.begun.countDown();
			this.go.await();
			this.handled.add(message);
		}

		@DelayedListener(queue = "failing")
		void failing(DelayedMessage<String> message) {
			this.handled.add(message);
			throw new IllegalStateException("no way");
		}

		@DelayedListener(queue = "batched", batch = "8", batchWait = "1s")
		void batched(List<DelayedMessage<String>> batch) {
			this.batches.add(batch.stream().map(DelayedMessage::id).toList());
			batch.forEach(this.handled::add);
		}

		@DelayedListener(queue = "handed")
		void handed(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		@DelayedListener(queue = "handed", expired = true)
		void expired(DelayedMessage<String> message) {
			this.handedOver.add(message);
			if (message.id().equals("never") || message.attempt() == 1) {
				throw new IllegalStateException("not this time");
			}
		}

		@DelayedListener(queue = "handed-batches", batch = "8", batchWait = "100ms")
		void handedBatches(List<DelayedMessage<String>> batch) {
			batched(batch);
		}

		@DelayedListener(queue = "handed-batches", expired = true)
		void expiredOfBatches(DelayedMessage<String> message) {
			this.handedOver.add(message);
		}

		@Bean(destroyMethod = "shutdownNow")
		ExecutorService oneThread() {
			return Executors.newSingleThreadExecutor();
		}

		@Bean
		QueueObserver expiries() {
			return new QueueObserver() {

				@Override
				public void expired(String queue, String id, MessageExpiredEvent.Outcome outcome) {
					Late.this.expired.add(id + " " + outcome);
				}

			};
		}

	}

}
