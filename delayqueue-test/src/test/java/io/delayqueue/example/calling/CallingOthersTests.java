package io.delayqueue.example.calling;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.RateLimit;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueLimits;
import io.delayqueue.example.calling.Invoices.Invoice;
import io.delayqueue.example.calling.Invoices.Statement;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The listeners of the guide call a partner over HTTP.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE,
		properties = "spring.config.location=classpath:guides/calling-others.yml")
@AutoConfigureDelayQueueTest
class CallingOthersTests {

	private static final HttpPartner PARTNER = new HttpPartner();

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueAdmin admin;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@DynamicPropertySource
	static void partner(DynamicPropertyRegistry properties) {
		properties.add("partner.url", PARTNER::url);
	}

	@BeforeEach
	void reset() {
		PARTNER.reset();
	}

	@AfterAll
	static void stop() {
		PARTNER.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 429, 503 })
	void theQueueIsHeldForTheTimeOfThePartner(int status) {
		TestQueue queue = this.queues.queue("invoices");
		PARTNER.answerOnce(status, Map.of("Retry-After", "5400"));
		invoice("i-1");
		this.time.advance(Duration.ZERO);
		assertThat(this.admin.holds("invoices")).singleElement()
			.extracting(QueueHold::why)
			.asString()
			.startsWith("The partner answered " + status);
		invoice("i-2");
		this.time.advance(Duration.ofMinutes(89));
		assertThat(PARTNER.calls()).containsExactly("/invoices i-1");

		this.time.advance(Duration.ofMinutes(2));

		assertThat(PARTNER.calls()).containsExactlyInAnyOrder("/invoices i-1", "/invoices i-1", "/invoices i-2");
		assertThat(queue).message("i-1").wasHandled().wasDeliveredTimes(2);
		assertThat(queue).message("i-2").wasHandled().wasDeliveredTimes(1);
	}

	@Test
	void anAnswerWithoutATimeHoldsForAMinute() {
		PARTNER.answerOnce(503, Map.of());
		invoice("i-1");
		this.time.advance(Duration.ZERO);
		assertThat(this.queues.queue("invoices")).hasScheduled("i-1").dueIn(Duration.ofMinutes(1));
	}

	@Test
	void aRequestThatThePartnerRejectsIsDeadLetteredAtOnce() {
		PARTNER.answerOnce(422, Map.of());
		invoice("i-1");
		this.time.advance(Duration.ZERO);
		assertThat(this.queues.queue("invoices")).message("i-1")
			.isDeadLetteredBecause("NEVER_RETRIED")
			.wasDeliveredTimes(1);
	}

	@Test
	void aCancelledInvoiceEndsItsCall() {
		CountDownLatch never = new CountDownLatch(1);
		PARTNER.onCall((call) -> {
			assertThat(this.delayQueue.cancel("invoices", "i-1")).isEqualTo(CancelResult.IN_FLIGHT);
			await(never);
		});
		invoice("i-1");
		this.time.advance(Duration.ZERO);
		assertThat(never.getCount()).isOne();
		never.countDown();
		assertThat(PARTNER.calls()).containsExactly("/invoices i-1");
		assertThat(this.queues.queue("invoices")).hasNo("i-1");
	}

	@Test
	void aCancelledStatementSendsNoFurtherPage() {
		PARTNER.onCall((call) -> this.delayQueue.cancel("statements", "s-1"));
		this.delayQueue.schedule(ScheduleRequest.to("statements")
			.id("s-1")
			.payload(new Statement(List.of("1", "2")))
			.delay(Duration.ZERO));
		this.time.advance(Duration.ZERO);
		assertThat(PARTNER.calls()).containsExactly("/statements/s-1/1");
	}

	@Test
	void theLimitsOfTheGuideApply() {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Semaphore fifth = new Semaphore(0);
		PARTNER.onCall((call) -> {
			int now = running.incrementAndGet();
			most.accumulateAndGet(now, Math::max);
			if (now == 5) {
				fifth.release(100);
			}
			fifth.acquireUninterruptibly();
			running.decrementAndGet();
		});
		IntStream.range(0, 20).forEach((number) -> invoice("i-" + number));
		this.time.advance(Duration.ZERO);
		assertThat(PARTNER.calls()).hasSize(20);
		assertThat(most).hasValue(5);
		assertThat(this.admin.limits("invoices")).returns(5, QueueLimits::maxInFlight)
			.returns(RateLimit.of(100, Duration.ofSeconds(1)), QueueLimits::rateLimit);
	}

	private void invoice(String id) {
		this.delayQueue
			.schedule(ScheduleRequest.to("invoices").id(id).payload(new Invoice("ann", 100)).delay(Duration.ZERO));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
