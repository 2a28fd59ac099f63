package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueStatus;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Listeners;
import io.delayqueue.journey.fixture.Listeners.Order;
import io.delayqueue.journey.fixture.Started;
import io.delayqueue.journey.fixture.TestApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The core suite: guarantees on every driver and every kind of server. Subclasses choose
 * driver and server.
 */
@SuppressWarnings("NullAway.Init")
abstract class JourneyTests {

	private static final Duration SOON = Duration.ofMillis(50);

	private static final Duration MUCH_LATER = Duration.ofDays(1);

	TestApplication application;

	Started<Listeners> started;

	DelayQueueOperations queue;

	DelayQueueAdmin admin;

	Listeners listeners;

	/** The applications of the test, not started yet. */
	abstract TestApplication application();

	@BeforeEach
	void startApplication() {
		this.application = application().with("delayqueue.queues.failing.max-attempts=1")
			.with("delayqueue.queues.reports.max-attempts=2")
			.with("delayqueue.queues.reports.back-off.first=50ms");
		this.started = Started.of(this.application.withAllAutoConfigurations().start(Listeners.Configured.class),
				Listeners.class);
		this.queue = this.started.queue();
		this.admin = this.started.admin();
		this.listeners = this.started.bean();
	}

	@AfterEach
	void stopApplication() {
		this.listeners.go.countDown();
		this.application.close();
	}

	@Test
	void messageIsHandledWhenItIsDueAndNotBefore() {
		ScheduleResult result = this.queue.schedule("orders", new Order("o-1", 42), SOON);

		assertThat(result.outcome()).isEqualTo(Outcome.CREATED);
		Handled.Run run = this.listeners.handled.await(1).get(0);
		assertThat(run.id()).isEqualTo(result.id());
		assertThat(run.payload()).isEqualTo(new Order("o-1", 42));
		assertThat(run.dueAt()).isEqualTo(result.dueAt());
		assertThat(run.at()).isAfterOrEqualTo(run.dueAt());
		assertThat(run.attempt()).isEqualTo(1);
		this.started.awaitGone("orders", result.id());
	}

	@Test
	void zeroDelayAndPastInstantsAreDueAtOnce() {
		this.queue.schedule("orders", new Order("now", 1), Duration.ZERO);
		this.queue.schedule("orders", new Order("past", 2), Instant.EPOCH);

		assertThat(this.listeners.handled.await(2)).extracting(Handled.Run::payload)
			.containsExactlyInAnyOrder(new Order("now", 1), new Order("past", 2));
	}

	@Test
	void earlierMessageOvertakesADistantHead() {
		this.queue.schedule("orders", new Order("later", 1), MUCH_LATER);
		this.queue.schedule("orders", new Order("sooner", 2), SOON);

		assertThat(this.listeners.handled.await(1).get(0).payload()).isEqualTo(new Order("sooner", 2));
	}

	@Test
	void textOfAnyLanguageIsPreserved() {
		this.queue.schedule(ScheduleRequest.to("headers")
			.payload("订单已取消 ✅")
			.id("订单-1")
			.group("用户-7")
			.header("from", "上海")
			.delay(Duration.ZERO));

		Handled.Run run = this.listeners.inHeaders.await(1).get(0);
		assertThat(run.id()).isEqualTo("订单-1");
		assertThat(run.payload()).isEqualTo("订单已取消 ✅");
		assertThat(this.listeners.lastHeader).isEqualTo("上海");
	}

	@Test
	void idIsStoredOnceUntilItsDeduplicationWindowEnds() {
		ScheduleRequest request = order("o-1").delay(MUCH_LATER);

		assertThat(this.queue.schedule(request).outcome()).isEqualTo(Outcome.CREATED);
		assertThat(this.queue.schedule(request))
			.isEqualTo(new ScheduleResult("orders", "o-1", Outcome.DUPLICATE, null));
		this.queue.reschedule("orders", "o-1", Duration.ZERO);
		this.listeners.handled.await(1);
		this.started.awaitGone("orders", "o-1");
		assertThat(this.queue.schedule(request).outcome()).isEqualTo(Outcome.DONE);
	}

	@Test
	void scheduleAllReturnsOneAnswerForEachMessage() {
		this.queue.schedule(order("known").delay(MUCH_LATER));
		List<ScheduleRequest> requests = IntStream.range(0, 1200)
			.mapToObj((i) -> (i == 700) ? order("known").delay(MUCH_LATER) : order("o-" + i).delay(SOON))
			.toList();

		List<ScheduleAnswer> answers = this.queue.scheduleAll(requests);

		assertThat(answers).hasSize(1200);
		assertThat(answers.get(0).id()).isEqualTo("o-0");
		assertThat(answers.get(700).result().outcome()).isEqualTo(Outcome.DUPLICATE);
		assertThat(answers.stream().filter(ScheduleAnswer::isAccepted)).hasSize(1199);
		assertThat(this.listeners.handled.await(1199)).extracting(Handled.Run::id).doesNotHaveDuplicates();
	}

	@Test
	void scheduledMessageCanBeFoundRescheduledAndCancelled() {
		this.queue.schedule(order("o-1").group("g").header("a", "b").delay(MUCH_LATER));

		MessageSnapshot found = this.queue.find("orders", "o-1").orElseThrow();
		assertThat(found.state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(found.group()).isEqualTo("g");
		assertThat(found.headers()).containsEntry("a", "b");
		assertThat(this.queue.reschedule(MessageKey.of("orders", "o-1").inGroup("g"), Duration.ofDays(2)))
			.isEqualTo(RescheduleResult.RESCHEDULED);
		assertThat(this.queue.find("orders", "o-1").orElseThrow().dueAt())
			.isAfter(found.dueAt().plus(Duration.ofHours(23)));
		assertThat(this.queue.cancel("orders", "o-1")).isEqualTo(CancelResult.CANCELLED);
		assertThat(this.queue.find("orders", "o-1")).isEmpty();
		assertThat(this.queue.cancel("orders", "o-1")).isEqualTo(CancelResult.NOT_FOUND);
		assertThat(this.queue.reschedule("orders", "o-1", SOON)).isEqualTo(RescheduleResult.NOT_FOUND);
	}

	@Test
	void readyMessageCancelledAndScheduledAgainFiresOnceAtTheNewTime() throws Exception {
		this.queue.schedule("slow", "blocks the only permit", Duration.ZERO);
		this.listeners.begun.acquire();
		ScheduleRequest request = ScheduleRequest.to("slow").payload("old").id("x").delay(Duration.ZERO);
		this.queue.schedule(request);
		this.started.awaitState("slow", "x", MessageState.READY);

		assertThat(this.queue.cancel("slow", "x")).isEqualTo(CancelResult.CANCELLED);
		ScheduleResult again = this.queue.schedule(request.payload("new").delay(Duration.ofMillis(300)));
		this.listeners.go.countDown();

		assertThat(again.outcome()).isEqualTo(Outcome.CREATED);
		List<Handled.Run> runs = this.listeners.handled.await(2);
		assertThat(runs).filteredOn((run) -> run.id().equals("x")).singleElement().satisfies((run) -> {
			assertThat(run.payload()).isEqualTo("new");
			assertThat(run.at()).isAfterOrEqualTo(again.dueAt());
		});
		this.started.awaitGone("slow", "x");
	}

	@Test
	void pendingMessageCancelledAndScheduledAgainFiresOnceAtTheNewTime() throws Exception {
		ScheduleRequest request = ScheduleRequest.to("slow").payload("old").id("x").delay(Duration.ZERO);
		this.queue.schedule(request);
		this.listeners.begun.acquire();

		assertThat(this.queue.find("slow", "x").orElseThrow().state()).isEqualTo(MessageState.PENDING);
		assertThat(this.queue.reschedule("slow", "x", SOON)).isEqualTo(RescheduleResult.IN_FLIGHT);
		assertThat(this.queue.cancel("slow", "x")).isEqualTo(CancelResult.IN_FLIGHT);
		ScheduleResult again = this.queue.schedule(request.payload("new").delay(Duration.ofMillis(300)));
		assertThat(again.outcome()).isEqualTo(Outcome.CREATED);
		// The old handler ends now, and must not settle the new message
		this.listeners.go.countDown();

		List<Handled.Run> runs = this.listeners.handled.await(2);
		assertThat(runs).extracting(Handled.Run::payload).containsExactly("old", "new");
		assertThat(runs.get(1).at()).isAfterOrEqualTo(again.dueAt());
		this.started.awaitGone("slow", "x");
		assertThat(this.listeners.handled.runs()).hasSize(2);
	}

	@Test
	void failingMessageIsDeadLetteredWithItsReason() {
		this.started.schedule("failing", "f", "this");

		MessageSnapshot dead = this.started.awaitState("failing", "f", MessageState.DEAD);
		assertThat(dead.lastFailure()).contains("HANDLER_FAILED", "IllegalStateException", "no way with this");
		assertThat(dead.attempts()).isEqualTo(1);
		assertThat(this.queue.schedule(ScheduleRequest.to("failing").payload("this").id("f").delay(SOON)).outcome())
			.isEqualTo(Outcome.DEAD_LETTER);
		assertThat(this.queue.cancel("failing", "f")).isEqualTo(CancelResult.DEAD_LETTER);
	}

	@Test
	void unconvertibleMessageIsDeadLetteredAtOnceAndOtherMessagesAreHandled() {
		this.started.schedule("numbers", "n", "not a number");
		this.queue.schedule("orders", new Order("o", 1), Duration.ZERO);

		assertThat(this.started.awaitState("numbers", "n", MessageState.DEAD).lastFailure()).contains("UNREADABLE");
		this.listeners.handled.await(1);
	}

	@Test
	void queueIsPausedDrainedAndPurgedInAllPartitions() {
		IntStream.range(0, 20).forEach((i) -> this.queue.schedule("orders", new Order("o-" + i, i), MUCH_LATER));
		assertThat(this.admin.pause("orders").isPaused()).isTrue();
		assertThat(this.admin.drain("orders").isDraining()).isTrue();
		assertThatExceptionOfType(QueueDrainingException.class)
			.isThrownBy(() -> this.queue.schedule("orders", new Order("refused", 1), SOON));
		assertThat(this.admin.purge("orders").total()).isEqualTo(20);

		assertThat(this.admin.reopen("orders").isDraining()).isFalse();
		ScheduleResult result = this.queue.schedule("orders", new Order("waits", 1), SOON);
		assertThat(this.admin.status("orders").isPaused()).isTrue();
		QueueStatus resumed = this.admin.resume("orders");
		assertThat(resumed).isEqualTo(new QueueStatus("orders", null, null, null))
			.isEqualTo(this.admin.status("orders"));

		assertThat(this.listeners.handled.await(1)).extracting(Handled.Run::id).containsExactly(result.id());
		this.started.awaitGone("orders", result.id());
	}

	@Test
	void batchHasOneGroupAndIsSettledMessageByMessage() {
		List<ScheduleRequest> requests = IntStream.range(0, 40)
			.mapToObj((i) -> report("r-" + i, "g-" + i % 3, (i % 8 == 0) ? "fails once" : "fine"))
			.toList();

		this.queue.scheduleAll(requests);

		assertThat(this.listeners.handled.await(40)).extracting(Handled.Run::id).doesNotHaveDuplicates();
		requests.forEach((request) -> this.started.awaitGone("reports", request.id().orElseThrow()));
		assertThat(this.listeners.batches).allSatisfy((batch) -> {
			assertThat(batch).hasSizeBetween(1, 4);
			assertThat(batch.stream().map((message) -> message.group().orElseThrow()).distinct()).hasSize(1);
		});
		assertThat(this.listeners.batches).as("filled").anyMatch((batch) -> batch.size() == 4);
	}

	@Test
	void messageThatAlwaysFailsItsBatchIsTheOnlyDeadLetter() {
		this.queue.scheduleAll(IntStream.range(0, 12)
			.mapToObj((i) -> report("r-" + i, "g", (i == 5) ? "always fails" : "fine"))
			.toList());

		assertThat(this.started.awaitState("reports", "r-5", MessageState.DEAD).attempts()).isEqualTo(2);
		assertThat(this.listeners.handled.await(11)).extracting(Handled.Run::id).doesNotHaveDuplicates();
		assertThat(this.listeners.batches).filteredOn((batch) -> batch.get(0).attempt() > 1)
			.isNotEmpty()
			.allSatisfy((batch) -> assertThat(batch).hasSize(1));
	}

	@Test
	void stageIsAwaitedBeforeItsMessageIsAcknowledged() {
		this.started.schedule("stages", "s");

		this.listeners.handled.await(1);
		assertThat(this.queue.find("stages", "s").orElseThrow().state()).isEqualTo(MessageState.PENDING);
		this.listeners.stage.complete(null);
		this.started.awaitGone("stages", "s");
	}

	private static ScheduleRequest order(String id) {
		return ScheduleRequest.to("orders").payload(new Order(id, 1)).id(id);
	}

	private static ScheduleRequest report(String id, String group, String payload) {
		return ScheduleRequest.to("reports").payload(payload).id(id).group(group).delay(SOON);
	}

}
