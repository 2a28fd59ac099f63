package io.delayqueue.example.readme;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.example.readme.Reports.Behaviour;
import io.delayqueue.example.readme.Reports.Partner;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;

/** The examples of the README behave as described, with the settings of the README. */
@DelayQueueTest(properties = "spring.config.location=classpath:guides/readme.yml")
@Import({ Orders.class, Calls.class })
class ReadmeTests {

	@Autowired
	private Calls calls;

	@Autowired
	private Reports reports;

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueAdmin admin;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@MockitoBean
	private Partner partner;

	private TestQueue orders;

	@BeforeEach
	void orders() {
		this.orders = this.queues.queue("order-timeout");
	}

	@Test
	void aMessageHasTheValuesOfTheRequest() {
		Instant instant = this.time.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
		this.calls.schedule("o-1", "u-1", instant);
		assertThat(this.orders).hasScheduled("o-1").dueAt(instant);
		assertThat(this.calls.find("o-1")).hasValueSatisfying((message) -> {
			assertThat(message.group()).isEqualTo("u-1");
			assertThat(message.headers()).containsEntry("source", "shop");
		});
		assertThat(this.calls.reschedule("o-1")).isEqualTo(RescheduleResult.RESCHEDULED);
		assertThat(this.orders).hasScheduled("o-1").dueIn(Duration.ofMinutes(30));
		assertThat(this.calls.cancel("o-1")).isEqualTo(CancelResult.CANCELLED);
		assertThat(this.calls.find("o-1")).isEmpty();
	}

	@Test
	void eachMessageHasAResult() {
		List<ScheduleAnswer> answers = this.calls
			.scheduleAll(List.of(order("o-1"), order("o-2"), order("o-1"), order("o-3")));
		assertThat(answers).extracting(ScheduleAnswer::id).containsExactly("o-1", "o-2", "o-1", "o-3");
		assertThat(answers).extracting(ScheduleAnswer::isAccepted).containsExactly(true, true, false, true);
		this.calls.scheduleAfterCommit(order("o-4"));
		assertThat(this.orders).hasScheduled("o-4");
	}

	@Test
	void fourthOrderOfAUserIsRejected() {
		Instant instant = this.time.now().plus(Duration.ofHours(1));
		for (int n = 1; n <= 3; n++) {
			this.calls.schedule("o-" + n, "u-1", instant);
		}
		assertThatExceptionOfType(QuotaExceededException.class)
			.isThrownBy(() -> this.calls.schedule("o-4", "u-1", instant));
		assertThat(this.calls.schedule("o-4", "u-2", instant).isAccepted()).isTrue();
	}

	@Test
	void reportsAreDeliveredInBatchesOfOneGame() {
		List<List<Behaviour>> batches = Collections.synchronizedList(new ArrayList<>());
		willAnswer((call) -> batches.add(call.getArgument(0))).given(this.partner).report(any());
		List<ScheduleRequest> requests = new ArrayList<>();
		for (int n = 0; n < 300; n++) {
			requests.add(report("g-1", n, Duration.ofMinutes(1)));
			requests.add(report("g-2", n, Duration.ofMinutes(1)));
		}
		this.delayQueue.scheduleAll(requests);
		this.time.advance(Duration.ofMinutes(2));
		assertThat(batches.stream().mapToInt(List::size).sum()).isEqualTo(600);
		assertThat(batches).allSatisfy((batch) -> assertThat(batch).hasSizeLessThanOrEqualTo(128)
			.extracting(Behaviour::game)
			.containsOnly(batch.get(0).game()));
		assertThat(batches).anyMatch((batch) -> batch.size() > 1);
	}

	@Test
	void reportThatIsThreeMinutesLateIsDropped() {
		this.delayQueue.schedule(report("g-1", 1, Duration.ofMinutes(1)));
		this.delayQueue.schedule(report("g-1", 2, Duration.ofMinutes(3)));
		this.admin.pause("report");
		this.time.advance(Duration.ofMinutes(5));
		this.admin.resume("report");
		this.time.advance(Duration.ZERO);
		assertThat(this.queues.queue("report")).hasNo("g-1-1").hasDelivered("g-1-2");
	}

	@Test
	void aReportIsPostponedByAtMostOneMinute() {
		TestQueue queue = this.queues.queue("report");
		assertThat(this.reports.debounced(report("g-1", 1, Duration.ofSeconds(20))).outcome())
			.isEqualTo(Outcome.CREATED);
		this.time.advance(Duration.ofSeconds(10));
		assertThat(this.reports.debounced(report("g-1", 1, Duration.ofSeconds(30))).outcome())
			.isEqualTo(Outcome.POSTPONED);
		assertThat(queue).hasScheduled("g-1-1").dueIn(Duration.ofSeconds(30));
		this.time.advance(Duration.ofSeconds(20));
		this.reports.debounced(report("g-1", 1, Duration.ofSeconds(50)));
		assertThat(queue).hasScheduled("g-1-1").dueIn(Duration.ofSeconds(30));
		this.time.advance(Duration.ofSeconds(30));
		assertThat(queue).hasDelivered("g-1-1");
	}

	private static ScheduleRequest order(String id) {
		return ScheduleRequest.to("order-timeout").id(id).payload(new OrderTimeout(id)).delay(Duration.ofMinutes(15));
	}

	private static ScheduleRequest report(String game, int number, Duration delay) {
		return ScheduleRequest.to("report")
			.id(game + "-" + number)
			.group(game)
			.payload(new Behaviour(game, "moved"))
			.delay(delay);
	}

}
