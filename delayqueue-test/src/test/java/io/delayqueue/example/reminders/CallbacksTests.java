package io.delayqueue.example.reminders;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.example.reminders.Callbacks.Callback;
import io.delayqueue.example.reminders.Callbacks.Partner;
import io.delayqueue.example.reminders.Reminders.Mailer;
import io.delayqueue.example.reminders.Reminders.Subscriptions;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;

/**
 * Partners are called at the times of the guide, and dead letters are redriven.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE,
		properties = "spring.config.location=classpath:guides/reminders-and-callbacks.yml")
@AutoConfigureDelayQueueTest
@MockitoBean(types = { Mailer.class, Subscriptions.class, Clock.class })
class CallbacksTests {

	private static final Partner.Answer DOWN = new Partner.Answer(500, Duration.ZERO);

	private static final Partner.Answer GOOD = new Partner.Answer(200, Duration.ZERO);

	@MockitoBean
	private Partner partner;

	@Autowired
	private Callbacks callbacks;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	private final List<Instant> calls = new ArrayList<>();

	private TestQueue queue;

	@BeforeEach
	void queue() {
		this.queue = this.queues.queue("callbacks");
	}

	@Test
	void callsAtOnceAndThenAfterOneThreeFiveMinutes() {
		answer(DOWN);
		this.callbacks.start(new Callback("c-1", "paid"));
		this.time.advance(Duration.ofHours(3));
		assertThat(waits()).containsExactly(1L, 3L, 5L, 7L, 9L, 11L, 13L, 15L, 17L);
		assertThat(this.queue).message("c-1").isDeadLetteredBecause("HANDLER_FAILED");
	}

	@Test
	void theSettingsOfTheQueueHaveTheSameEffect(@Autowired DelayQueueOperations operations) {
		answer(DOWN);
		operations.schedule(
				ScheduleRequest.to("callbacks").id("c-1").payload(new Callback("c-1", "paid")).delay(Duration.ZERO));
		this.time.advance(Duration.ofHours(3));
		assertThat(waits()).containsExactly(1L, 3L, 5L, 7L, 9L, 11L, 13L, 15L, 17L);
	}

	@Test
	void thePolicyHasTheWaitsOfTheGuide() {
		BackOffPolicy policy = BackOffPolicy.linear(Duration.ofMinutes(1), Duration.ofMinutes(2));
		assertThat(IntStream.rangeClosed(1, 9).mapToObj(policy::waitAfter).map(Duration::toMinutes)).containsExactly(1L,
				3L, 5L, 7L, 9L, 11L, 13L, 15L, 17L);
	}

	@Test
	void theRetryAfterTimeOfThePartnerIsUsed() {
		given(this.partner.call(any(), any())).willReturn(new Partner.Answer(429, Duration.ofHours(1)), GOOD);
		this.callbacks.start(new Callback("c-1", "paid"));
		this.time.advance(Duration.ZERO);
		assertThat(this.queue).hasScheduled("c-1").dueIn(Duration.ofHours(1));
		this.time.advance(Duration.ofHours(1));
		assertThat(this.queue).message("c-1").wasHandled().wasDeliveredTimes(2);
	}

	@Test
	void permanentFailuresAreDeadLetteredAtOnce() {
		answer(new Partner.Answer(400, Duration.ZERO));
		this.callbacks.start(new Callback("c-1", "paid"));
		this.time.advance(Duration.ZERO);
		assertThat(this.queue).message("c-1").isDeadLetteredBecause("NEVER_RETRIED").wasDeliveredTimes(1);
	}

	@Test
	void aRedrivenCallbackHasAllItsAttempts() {
		answer(DOWN);
		this.callbacks.start(new Callback("c-1", "paid"));
		this.time.advance(Duration.ofHours(3));
		assertThat(this.callbacks.again()).isEqualTo(1);
		this.time.advance(Duration.ofHours(3));
		assertThat(this.queue).message("c-1").isDeadLetteredBecause("HANDLER_FAILED").wasDeliveredTimes(20);
	}

	private void answer(Partner.Answer answer) {
		given(this.partner.call(any(), any())).willAnswer((call) -> {
			this.calls.add(this.time.now());
			return answer;
		});
	}

	private List<Long> waits() {
		return IntStream.range(1, this.calls.size())
			.mapToObj((n) -> Duration.between(this.calls.get(n - 1), this.calls.get(n)).plusSeconds(20).toMinutes())
			.toList();
	}

}
