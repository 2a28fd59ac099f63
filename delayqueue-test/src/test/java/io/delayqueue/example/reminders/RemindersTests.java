package io.delayqueue.example.reminders;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.example.reminders.Callbacks.Partner;
import io.delayqueue.example.reminders.Reminders.Mailer;
import io.delayqueue.example.reminders.Reminders.Subscriptions;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.RecordedDelivery;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Reminders are sent at nine in the user's time zone, once a day, also after failures.
 */
@DelayQueueTest
@MockitoBean(types = Partner.class)
class RemindersTests {

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	@Autowired
	private Reminders reminders;

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@MockitoBean
	private Mailer mailer;

	@MockitoBean
	private Subscriptions subscriptions;

	private TestQueue queue;

	@BeforeEach
	void subscribed() {
		this.queue = this.queues.queue("reminders");
		given(this.subscriptions.isActive(any())).willReturn(true);
	}

	@Test
	void remindersAreSentAtNineInTheUsersZoneAlsoInSummer() {
		assertThat(Reminders.of(new Reminder("u", BERLIN, LocalDate.parse("2026-01-15"))).dueAt())
			.hasValue(Instant.parse("2026-01-15T08:00:00Z"));
		assertThat(Reminders.of(new Reminder("u", BERLIN, LocalDate.parse("2026-07-15"))).dueAt())
			.hasValue(Instant.parse("2026-07-15T07:00:00Z"));
		assertThat(Reminders.of(new Reminder("u", ZoneId.of("Asia/Tokyo"), LocalDate.parse("2026-07-15"))).dueAt())
			.hasValue(Instant.parse("2026-07-15T00:00:00Z"));
	}

	@Test
	void oneReminderIsSentPerDay() {
		LocalDate first = subscribe();
		for (int day = 0; day < 4; day++) {
			this.time.advanceTo(nine(first.plusDays(day)));
		}
		assertThat(delivered()).containsExactly(id(first), id(first.plusDays(1)), id(first.plusDays(2)),
				id(first.plusDays(3)));
		assertThat(this.queue).hasScheduled(id(first.plusDays(4)));
	}

	@Test
	void aRedeliveryAndAFailureDoNotStartASecondSeries() {
		LocalDate first = subscribe();
		willThrow(new IllegalStateException("no")).given(this.mailer).remind("u-1", id(first));
		this.queue.loseNextLeases(1);
		this.time.advanceTo(nine(first).plusSeconds(3600));
		assertThat(this.queue).message(id(first)).isDeadLetteredBecause("HANDLER_FAILED");
		assertThat(this.queue).hasScheduled(id(first.plusDays(1))).dueAt(nine(first.plusDays(1)));
		assertThat(this.delayQueue.countGroup("reminders", "u-1")).isEqualTo(1);
	}

	@Test
	void aDeadLetterRedrivenDaysLaterDoesNotStartASecondSeries(@Autowired DelayQueueAdmin admin) {
		LocalDate first = subscribe();
		this.queue.failNext(5);
		this.time.advanceTo(nine(first).plusSeconds(60));
		// The injected failures precede the listener, which has not scheduled the next
		// day
		assertThat(this.queue).message(id(first)).isDeadLetteredBecause("HANDLER_FAILED");
		this.time.advanceTo(nine(first.plusDays(3)));
		assertThat(admin.redrive(MessageKey.of("reminders", id(first)).inGroup("u-1"))).isTrue();
		this.time.advance(Duration.ZERO);
		this.time.advanceTo(nine(first.plusDays(5)));
		verify(this.mailer).remind("u-1", id(first));
		verify(this.mailer).remind("u-1", id(first.plusDays(4)));
		verify(this.mailer).remind("u-1", id(first.plusDays(5)));
		assertThat(this.delayQueue.countGroup("reminders", "u-1")).isEqualTo(1);
	}

	@Test
	void remindersOfALongOutageAreSkipped(@Autowired DelayQueueAdmin admin) {
		LocalDate first = subscribe();
		admin.pause("reminders");
		this.time.advanceTo(nine(first.plusDays(2)).plus(Duration.ofHours(5)));
		admin.resume("reminders");
		this.time.advance(Duration.ZERO);
		verify(this.mailer, times(0)).remind(any(), any());
		assertThat(this.queue).hasNo(id(first)).hasScheduled(id(first.plusDays(3)));
	}

	@Test
	void theSeriesEndsWithTheSubscription() {
		LocalDate first = subscribe();
		given(this.subscriptions.isActive("u-1")).willReturn(false);
		this.time.advanceTo(nine(first));
		assertThat(this.delayQueue.countGroup("reminders", "u-1")).isZero();
		verify(this.mailer, times(0)).remind(any(), any());
	}

	@Test
	void theSeriesFollowsTheUsersZone() {
		LocalDate first = subscribe();
		ZoneId home = ZoneId.of("America/New_York");
		this.delayQueue.schedule(Reminders.of(new Reminder("u-1", home, first)).onDuplicate(DuplicatePolicy.replace()));
		Instant later = first.atTime(9, 0).atZone(home).toInstant();
		assertThat(this.queue).hasScheduled(id(first)).dueAt(later);
		this.time.advanceTo(later);
		verify(this.mailer).remind(eq("u-1"), eq(id(first)));
		assertThat(this.queue).hasScheduled(id(first.plusDays(1)))
			.dueAt(first.plusDays(1).atTime(9, 0).atZone(home).toInstant());
	}

	private LocalDate subscribe() {
		this.reminders.subscribe("u-1", BERLIN);
		return LocalDate.now(this.time.clock().withZone(BERLIN)).plusDays(1);
	}

	private List<String> delivered() {
		return this.queue.deliveries().stream().map(RecordedDelivery::id).toList();
	}

	private static Instant nine(LocalDate day) {
		return day.atTime(9, 0).atZone(BERLIN).toInstant();
	}

	private static String id(LocalDate day) {
		return "u-1-" + day;
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Time {

		@Bean
		Clock clock(DelayQueueTime time) {
			return time.clock();
		}

	}

}
