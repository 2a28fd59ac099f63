package io.delayqueue.example.shop;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.InjectedFailureException;
import io.delayqueue.test.RecordedDelivery;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

@DelayQueueTest(properties = { "delayqueue.queues.callbacks.back-off.delays=1m,3m,5m",
		"delayqueue.queues.callbacks.back-off.jitter=0", "delayqueue.queues.callbacks.max-attempts=4" })
@Import(Mailer.class)
class LaterTests {

	@Autowired
	private DelayQueueOperations operations;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@Autowired
	private Mailer mailer;

	@BeforeEach
	void forget() {
		this.mailer.sent().clear();
	}

	@RepeatedTest(2)
	void theOrderIsClosedAfterFifteenMinutes() {
		assertThat(schedule("o-1", Duration.ofMinutes(15)).outcome()).isEqualTo(ScheduleResult.Outcome.CREATED);
		TestQueue orders = this.queues.queue("orders");
		assertThat(orders).hasScheduled("o-1").dueIn(Duration.ofMinutes(15));

		this.time.advance(Duration.ofMinutes(14));
		assertThat(orders).hasScheduled("o-1").dueIn(Duration.ofMinutes(1)).wasNotDelivered();

		this.time.advance(Duration.ofMinutes(1));
		assertThat(orders).message("o-1").wasHandled();
		assertThat(this.mailer.sent()).containsExactly("closed o-1");
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 500_000, 999_000, 999_999 })
	void aMessageDueAtAnInstantIsHandledThen(long nanos) {
		Instant nine = this.time.now().truncatedTo(ChronoUnit.MILLIS).plus(Duration.ofHours(1)).plusNanos(nanos);
		this.operations.schedule(ScheduleRequest.to("orders").id("o-9").payload("o-9").dueAt(nine));

		this.time.advanceTo(nine.minusSeconds(60));
		assertThat(this.mailer.sent()).isEmpty();

		this.time.advanceTo(nine);
		assertThat(this.mailer.sent()).containsExactly("closed o-9");
	}

	@Test
	void laterMessagesDoNotBecomeDue() {
		schedule("o-8", Duration.ofDays(8));
		schedule("o-7", Duration.ofDays(7));
		schedule("o-1", Duration.ofDays(1));

		this.time.advance(Duration.ofDays(7));

		assertThat(this.queues.queue("orders")).hasDelivered("o-1", "o-7")
			.hasScheduled("o-8")
			.dueIn(Duration.ofDays(1));
	}

	@Test
	void tenRemindersAreDeliveredInTenDays() {
		Instant first = this.time.now().plus(Duration.ofDays(1));
		this.operations.schedule(ScheduleRequest.to("reminders").id("r-1").payload(1).dueAt(first));

		this.time.advance(Duration.ofDays(10));

		assertThat(this.queues.queue("reminders")).message("r-10").wasHandled();
		assertThat(this.mailer.sent()).hasSize(10).endsWith("reminder 9", "reminder 10");
		assertThat(this.queues.queue("reminders").deliveries()).extracting(RecordedDelivery::dueAt)
			.last()
			.isEqualTo(Instant.ofEpochMilli(first.plusNanos(999_999).toEpochMilli()).plus(Duration.ofDays(9)));
	}

	/**
	 * A back-off starts with the settlement of the failure, shortly after the due time of
	 * the attempt.
	 */
	@Test
	void aFailedMessageIsRetriedAfterOneThreeAndFiveMinutes() {
		this.operations.schedule(ScheduleRequest.to("callbacks").id("c-1").payload("p").delay(Duration.ofHours(1)));
		TestQueue callbacks = this.queues.queue("callbacks");

		this.time.advance(Duration.ofHours(1));
		assertThat(callbacks).hasScheduled("c-1").dueIn(Duration.ofMinutes(1)).wasDeliveredTimes(1);
		this.time.advance(Duration.ofMinutes(4).plusSeconds(2));
		assertThat(callbacks).hasScheduled("c-1").dueIn(Duration.ofMinutes(5)).wasDeliveredTimes(3);
		this.time.advance(Duration.ofMinutes(5));
		assertThat(callbacks).message("c-1")
			.wasDeliveredTimes(4)
			.isDeadLetteredBecause("HANDLER_FAILED")
			.isDeadLetteredBecause(IllegalStateException.class);
	}

	@Test
	void theFailureOfAStageIsRecordedUnchanged() {
		this.operations.schedule(ScheduleRequest.to("invoices").id("i-1").payload("p").delay(Duration.ZERO));

		this.time.advance(Duration.ZERO);

		assertThat(this.queues.queue("invoices").deliveries()).first()
			.extracting((delivery) -> delivery.failure().orElseThrow())
			.isExactlyInstanceOf(IllegalStateException.class);
	}

	@Test
	void theFailureOfABatchStageIsRecordedForEachMessage() {
		this.operations.schedule(ScheduleRequest.to("labels").id("l-1").payload("whole").delay(Duration.ZERO));
		this.operations.schedule(ScheduleRequest.to("labels").id("l-2").payload("torn").delay(Duration.ZERO));

		this.time.advance(Duration.ZERO);

		TestQueue labels = this.queues.queue("labels");
		assertThat(labels).message("l-1").wasHandled();
		assertThat(labels.deliveries()).filteredOn((delivery) -> delivery.id().equals("l-2"))
			.first()
			.extracting((delivery) -> delivery.failure().orElseThrow())
			.isExactlyInstanceOf(IllegalStateException.class);
	}

	@Test
	void anInjectedFailureIsFollowedByARetry() {
		this.queues.queue("orders").failNext(1);
		schedule("o-1", Duration.ZERO);

		this.time.advance(Duration.ZERO);
		TestQueue orders = this.queues.queue("orders");
		assertThat(orders).hasScheduled("o-1");
		assertThat(orders.deliveries().get(0).failure()).containsInstanceOf(InjectedFailureException.class);
		assertThat(this.mailer.sent()).isEmpty();

		this.time.advance(Duration.ofHours(1));
		assertThat(orders).message("o-1").wasHandled().wasDeliveredTimes(2);
	}

	@Test
	void aLostLeaseCausesARedelivery() {
		this.queues.queue("orders").loseNextLeases(1);
		schedule("o-1", Duration.ofMinutes(1));

		this.time.advance(Duration.ofMinutes(1));

		assertThat(this.queues.queue("orders")).message("o-1").wasHandled().wasDeliveredTimes(2);
		assertThat(this.mailer.sent()).containsExactly("closed o-1", "closed o-1");
	}

	@Test
	void eachMessageOfABatchIsRecorded() {
		this.queues.queue("reports").failNext(1);
		for (String id : new String[] { "a", "b", "c" }) {
			this.operations.schedule(ScheduleRequest.to("reports").id(id).payload(id).delay(Duration.ofMinutes(1)));
		}

		this.time.advance(Duration.ofHours(1));

		TestQueue reports = this.queues.queue("reports");
		assertThat(reports.deliveries()).filteredOn((delivery) -> delivery.failure().isPresent())
			.isNotEmpty()
			.allMatch((delivery) -> delivery.attempt() == 1);
		assertThat(reports.deliveries()).filteredOn(RecordedDelivery::isHandled)
			.extracting(RecordedDelivery::id)
			.containsExactlyInAnyOrder("a", "b", "c");
	}

	@Test
	void expiredMessagesAreNotHandled(@Autowired DelayQueueAdmin admin) {
		this.operations.schedule(ScheduleRequest.to("orders")
			.id("o-1")
			.payload("o-1")
			.delay(Duration.ofMinutes(1))
			.expireAfter(Duration.ofMinutes(1)));
		admin.pause("orders");
		this.time.advance(Duration.ofMinutes(3));
		admin.resume("orders");

		this.time.advance(Duration.ZERO);

		assertThat(this.queues.queue("orders")).message("o-1").wasNotDelivered().isDeadLetteredBecause("EXPIRED");
		assertThat(this.mailer.sent()).isEmpty();
	}

	@Test
	void theClockIsAheadByTheAdvancedDuration() {
		Instant before = this.time.clock().instant();
		this.time.advance(Duration.ofDays(365));
		assertThat(Duration.between(before, this.time.clock().instant())).isBetween(Duration.ofDays(365),
				Duration.ofDays(366));
		assertThat(schedule("o-1", Duration.ofMinutes(1)).dueAt()).isAfter(before.plus(Duration.ofDays(365)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "call('TIME')", "call('time')", "call(\"TIME\")", "call(\"time\")", "pcall(\"Time\")" })
	void scriptsOfTheApplicationUseTheAdvancedTime(String call, @Autowired StringRedisTemplate redis) {
		Instant before = this.time.now();
		this.time.advance(Duration.ofDays(365));
		String seconds = redis.execute(RedisScript.of("return redis." + call + "[1]", String.class), List.of());
		assertThat(Instant.ofEpochSecond(Long.parseLong(seconds))).isBetween(before.plus(Duration.ofDays(364)),
				this.time.now());
	}

	@Test
	void theSliceContainsOnlyBeansWithListeners(@Autowired ApplicationContext context) {
		assertThat(context.getBeanProvider(ShopListeners.class).getIfAvailable()).isNotNull();
		assertThat(context.getBeanProvider(Greeting.class).getIfAvailable()).isNull();
	}

	private ScheduleResult schedule(String id, Duration delay) {
		return this.operations.schedule(ScheduleRequest.to("orders").id(id).payload(id).delay(delay));
	}

}
