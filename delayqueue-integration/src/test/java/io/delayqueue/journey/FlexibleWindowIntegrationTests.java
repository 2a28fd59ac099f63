package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages that are due at any time within a window.
 */
@Tag("slow")
class FlexibleWindowIntegrationTests {

	private static final Duration WINDOW = Duration.ofMinutes(10);

	private final RedisServer redis = RedisServer.builder().start();

	private final TestApplication applications = new TestApplication(this.redis.uri());

	private final Instant due = Instant.ofEpochMilli(System.currentTimeMillis()).plus(Duration.ofHours(1));

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void messagesForOneInstantAreStoredForTheWholeWindow() {
		DelayQueueOperations queue = this.applications.producer();
		int messages = 5000;
		List<ScheduleAnswer> answers = queue.scheduleAll(IntStream.range(0, messages)
			.mapToObj((i) -> ScheduleRequest.to("jobs").id("m" + i).payload("p").dueAt(this.due).within(WINDOW))
			.toList());

		Map<Long, Long> tenths = answers.stream()
			.map((answer) -> dueAt(answer.result()))
			.map((dueAt) -> Math.min(9, Duration.between(this.due, dueAt).toMillis() * 10 / WINDOW.toMillis()))
			.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
		assertThat(tenths).hasSize(10);
		assertThat(tenths.values()).allMatch((tenth) -> tenth < 0.12 * messages);
		Instant last = answers.stream().map((answer) -> dueAt(answer.result())).max(Instant::compareTo).orElseThrow();
		assertThat(last).isBetween(this.due, this.due.plus(WINDOW));
	}

	@Test
	void sameIdHasTheSameDueTimeAndRescheduleIsExact() {
		DelayQueueOperations queue = this.applications.producer();
		ScheduleRequest request = ScheduleRequest.to("jobs").id("m").payload("p").dueAt(this.due).within(WINDOW);
		Instant first = dueAt(queue.schedule(request));
		queue.cancel("jobs", "m");
		this.redis.call("DEL", this.applications.prefix() + ":{jobs:0}:done");
		assertThat(dueAt(queue.schedule(request))).isEqualTo(first).isNotEqualTo(this.due);
		assertThat(queue.find("jobs", "m")).map(MessageSnapshot::dueAt).contains(first);

		assertThat(queue.reschedule("jobs", "m", this.due)).isEqualTo(RescheduleResult.RESCHEDULED);
		assertThat(queue.find("jobs", "m")).map(MessageSnapshot::dueAt).contains(this.due);
	}

	@Test
	void messagesOfAGroupKeepTheirOrder() {
		DelayQueueOperations queue = this.applications.producer();
		Instant a = dueAt(queue.schedule(request("a", this.due)));
		Instant b = dueAt(queue.schedule(request("b", this.due.plusMillis(1))));
		assertThat(Duration.between(a, b)).isEqualTo(Duration.ofMillis(1));
	}

	private static ScheduleRequest request(String id, Instant due) {
		return ScheduleRequest.to("jobs").id(id).group("g").payload("p").dueAt(due).within(WINDOW);
	}

	/**
	 * The message was due an hour ago, and is handled, because it expires after the end
	 * of its window.
	 */
	@Test
	void expiryCountsFromTheDueTimeInTheWindow() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class);
		DelayQueueOperations queue = app.getBean(DelayQueueOperations.class);
		Instant begin = this.due.minus(Duration.ofHours(2));
		ScheduleResult late = queue.schedule(ScheduleRequest.to("jobs")
			.id("late")
			.payload("p")
			.dueAt(begin)
			.within(Duration.ofMillis(1))
			.expireAfter(Duration.ofMinutes(59)));
		ScheduleResult waits = queue.schedule(ScheduleRequest.to("jobs")
			.id("waits")
			.payload("p")
			.dueAt(begin)
			.within(Duration.ofDays(3000))
			.expireAfter(Duration.ofMinutes(59)));
		queue.schedule(ScheduleRequest.to("jobs").id("now").payload("p").dueAt(begin).within(Duration.ofMillis(1)));

		assertThat(app.getBean(Listener.class).handled.await(1)).extracting(Handled.Run::id).containsExactly("now");
		assertThat(dueAt(late)).isBefore(Instant.now());
		assertThat(dueAt(waits)).isAfter(Instant.now());
		assertThat(queue.find("jobs", "waits")).map(MessageSnapshot::state).contains(MessageState.SCHEDULED);
	}

	private static Instant dueAt(@Nullable ScheduleResult result) {
		return Objects.requireNonNull(Objects.requireNonNull(result).dueAt());
	}

	static class Listener {

		final Handled handled = new Handled();

		@DelayedListener(queue = "jobs")
		void handle(DelayedMessage<String> message) {
			this.handled.add(message);
		}

	}

}
