package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages with their own number and times of retries. */
@SuppressWarnings("NullAway.Init")
class RemindersIntegrationTests {

	private static final Duration UNIT = Duration.ofMillis(60);

	private TestApplication application;

	private DelayQueueOperations queue;

	private DelayQueueAdmin admin;

	private Partner partner;

	@BeforeEach
	void start() {
		this.application = new TestApplication(SharedRedis.get().uri()).with("delayqueue.defaults.max-attempts=2")
			.with("delayqueue.defaults.back-off.first=1ms")
			.with("delayqueue.defaults.back-off.jitter=0");
		ConfigurableApplicationContext context = this.application.start(Partner.class);
		this.queue = context.getBean(DelayQueueOperations.class);
		this.admin = context.getBean(DelayQueueAdmin.class);
		this.partner = context.getBean(Partner.class);
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	static class Partner {

		final Map<String, Queue<Attempt>> attempts = new ConcurrentHashMap<>();

		record Attempt(Instant at, int attempt, int maxAttempts) {
		}

		@DelayedListener(queue = "callback")
		void call(DelayedMessage<String> message) {
			this.attempts.computeIfAbsent(message.id(), (id) -> new ConcurrentLinkedQueue<>())
				.add(new Attempt(Instant.now(), message.attempt(), message.maxAttempts()));
			throw new IllegalStateException("no answer");
		}

		List<Attempt> of(String id) {
			return List.copyOf(this.attempts.getOrDefault(id, new ConcurrentLinkedQueue<>()));
		}

	}

	@Test
	void tenAttemptsAtGrowingIntervalsAndThenADeadLetter() {
		schedule(ScheduleRequest.to("callback")
			.id("grows")
			.maxAttempts(10)
			.backOff(BackOffPolicy.linear(UNIT, UNIT.multipliedBy(2))));

		List<Partner.Attempt> attempts = this.partner.of("grows");
		assertThat(attempts).extracting(Partner.Attempt::attempt).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
		assertThat(attempts).extracting(Partner.Attempt::maxAttempts).containsOnly(10);
		for (int n = 1; n < attempts.size(); n++) {
			assertThat(Duration.between(attempts.get(n - 1).at(), attempts.get(n).at())).as("gap " + n)
				.isGreaterThanOrEqualTo(atLeast(UNIT.multipliedBy(2L * n - 1)));
		}
	}

	@Test
	void lastWaitOfAListAppliesToAllLaterRetries() {
		schedule(ScheduleRequest.to("callback")
			.id("listed")
			.maxAttempts(4)
			.backOff(BackOffPolicy.delays(List.of(Duration.ZERO, UNIT))));

		List<Partner.Attempt> attempts = this.partner.of("listed");
		assertThat(attempts).hasSize(4);
		assertThat(Duration.between(attempts.get(2).at(), attempts.get(3).at())).isGreaterThanOrEqualTo(atLeast(UNIT));
	}

	@Test
	void optionsMissingInAMessageAreTakenFromItsQueue() {
		schedule(ScheduleRequest.to("callback").id("plain"));
		schedule(ScheduleRequest.to("callback").id("slow").backOff(BackOffPolicy.fixed(UNIT)));

		assertThat(this.partner.of("plain")).extracting(Partner.Attempt::maxAttempts).containsExactly(2, 2);
		List<Partner.Attempt> slow = this.partner.of("slow");
		assertThat(slow).hasSize(2);
		assertThat(Duration.between(slow.get(0).at(), slow.get(1).at())).isGreaterThanOrEqualTo(atLeast(UNIT));
	}

	@Test
	void redrivenMessageKeepsItsOptions() {
		schedule(ScheduleRequest.to("callback").id("again").maxAttempts(3).backOff(BackOffPolicy.fixed(UNIT)));
		assertThat(this.partner.of("again")).hasSize(3);

		assertThat(this.admin.redrive(MessageKey.of("callback", "again"))).isTrue();

		awaitDead("again");
		assertThat(this.partner.of("again")).extracting(Partner.Attempt::attempt).containsExactly(1, 2, 3, 1, 2, 3);
	}

	/** A wait counts from the millisecond in which Redis receives the failure. */
	private static Duration atLeast(Duration wait) {
		return wait.minusMillis(1);
	}

	private void schedule(ScheduleRequest request) {
		this.queue.schedule(request.payload("call me").delay(Duration.ZERO));
		awaitDead(request.id().orElseThrow());
	}

	private void awaitDead(String id) {
		Awaitility.await().until(() -> this.admin.deadLetter(MessageKey.of("callback", id)).isPresent());
	}

}
