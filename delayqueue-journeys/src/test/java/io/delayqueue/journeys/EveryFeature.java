package io.delayqueue.journeys;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageEnd;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journeys.Shop.Received;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * A journey through every feature. Subclasses choose the server, the driver and the
 * connection factory; all tests of a class share one application.
 */
abstract class EveryFeature {

	private static final Duration MUCH_LATER = Duration.ofDays(1);

	/** The application. */
	abstract StartedShop shop();

	@Test
	void aMessageIsRescheduledFoundAndDeliveredOnceWhenItIsDue() {
		ScheduleResult result = queue().schedule(order("rescheduled").delay(MUCH_LATER));
		assertThat(result.outcome()).isEqualTo(Outcome.CREATED);
		assertThat(queue().schedule(order("rescheduled").delay(MUCH_LATER)).outcome()).isEqualTo(Outcome.DUPLICATE);
		assertThat(queue().find("orders", "rescheduled").orElseThrow().state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(queue().reschedule("orders", "rescheduled", Duration.ofMillis(300)))
			.isEqualTo(RescheduleResult.RESCHEDULED);
		Instant dueAt = queue().find("orders", "rescheduled").map(MessageSnapshot::dueAt).orElseThrow();

		assertThat(received("orders", "rescheduled", 1)).singleElement().satisfies((message) -> {
			assertThat(message.dueAt()).isEqualTo(dueAt);
			assertThat(message.attempt()).isEqualTo(1);
		});
		awaitEnd("rescheduled", MessageEnd.How.ACKNOWLEDGED);
	}

	@Test
	void aMessageIsReplacedPostponedAndCancelled() {
		queue().schedule(order("changed").delay(MUCH_LATER));
		assertThat(
				queue().schedule(order("changed").delay(MUCH_LATER).onDuplicate(DuplicatePolicy.replace())).outcome())
			.isEqualTo(Outcome.REPLACED);
		ScheduleRequest postponed = order("postponed").delay(MUCH_LATER)
			.onDuplicate(DuplicatePolicy.postpone(Duration.ofDays(3)));
		queue().schedule(postponed);
		assertThat(queue().schedule(postponed.delay(Duration.ofDays(2))).outcome()).isEqualTo(Outcome.POSTPONED);

		assertThat(queue().cancel("orders", "changed")).isEqualTo(CancelResult.CANCELLED);
		assertThat(queue().cancel("orders", "postponed")).isEqualTo(CancelResult.CANCELLED);
		awaitEnd("changed", MessageEnd.How.CANCELLED);
		queue().schedule(order("of-group").group("g").delay(MUCH_LATER));
		assertThat(queue().cancelGroup("orders", "g").total()).isEqualTo(1);
	}

	@Test
	void manyMessagesAreScheduledInOneCallAndAllAreDelivered() {
		List<ScheduleRequest> requests = IntStream.range(0, 1200)
			.mapToObj((i) -> order("many-" + i).delay(Duration.ofMillis(50)))
			.toList();

		assertThat(queue().scheduleAll(requests)).allMatch(ScheduleAnswer::isAccepted);

		await().until(() -> received("orders", "many-").size() == 1200);
		assertThat(received("orders", "many-")).extracting(Received::id).doesNotHaveDuplicates();
	}

	@Test
	void aFailedMessageIsRetriedThenDeadLetteredAndRedriven() {
		queue().schedule(ScheduleRequest.to("calls").payload("fails once").id("retried").delay(Duration.ZERO));
		assertThat(received("calls", "retried", 2)).extracting(Received::attempt).containsExactly(1, 2);

		listeners().isDown = true;
		queue().schedule(ScheduleRequest.to("calls").payload("p").id("dead").delay(Duration.ZERO));
		await().until(() -> admin().deadLetters("calls", null, 10).deadLetters().size() == 1);
		listeners().isDown = false;
		assertThat(admin().redrive(DeadLetterSelection.of("calls").because("HANDLER_FAILED"))).isEqualTo(1);
		received("calls", "dead", 3);
		await().until(() -> queue().find("calls", "dead").isEmpty());

		listeners().isDown = true;
		queue().schedule(ScheduleRequest.to("calls").payload("p").id("discarded").delay(Duration.ZERO));
		await().until(() -> admin().deadLetters("calls", null, 10).deadLetters().size() == 1);
		listeners().isDown = false;
		assertThat(admin().discard(DeadLetterSelection.of("calls"))).isEqualTo(1);
	}

	@Test
	void aBatchHasOneGroupAndTheQuotaOfAGroupIsExact() {
		for (int i = 0; i < 3; i++) {
			for (String user : List.of("ann", "bob")) {
				queue().schedule(report(user, i, Duration.ofMillis(500)));
			}
		}
		assertThatExceptionOfType(QuotaExceededException.class)
			.isThrownBy(() -> queue().schedule(report("ann", 3, MUCH_LATER)));

		await().until(() -> received("reports", "").size() == 6);
		assertThat(listeners().batches).allSatisfy(
				(batch) -> assertThat(batch.stream().map((message) -> message.payload()).distinct()).hasSize(1));
	}

	@Test
	void messagesOfAGroupKeepTheirOrder() {
		List<String> ids = IntStream.range(0, 20).mapToObj((i) -> "step-" + i).toList();
		Instant first = Instant.now().plusMillis(300);
		queue().scheduleAll(IntStream.range(0, 20)
			.mapToObj((i) -> ScheduleRequest.to("steps")
				.payload("p")
				.id(ids.get(i))
				.group("ann")
				.dueAt(first.plusMillis(i)))
			.toList());

		await().until(() -> received("steps", "").size() == 20);
		assertThat(received("steps", "")).extracting(Received::id).containsExactlyElementsOf(ids);
	}

	@Test
	void limitsDeliverEverythingAndNoMoreAtATimeThanTheyPermit() {
		queue().scheduleAll(all("exports", 50));
		queue().scheduleAll(all("sms", 50));

		await().until(() -> received("exports", "").size() == 50 && received("sms", "").size() == 50);
		assertThat(listeners().most).hasValueLessThanOrEqualTo(5);
	}

	@Test
	void aHeldQueueDeliversNothingUntilItIsReleasedOrTheHoldEnds() {
		queue().schedule(ScheduleRequest.to("partners").payload("busy").id("held").delay(Duration.ZERO));
		received("partners", "held", 2);

		admin().hold("partners", Duration.ofHours(1), "maintenance");
		assertThat(admin().holds("partners")).hasSize(1);
		queue().schedule(ScheduleRequest.to("partners").payload("p").id("released").delay(Duration.ZERO));
		await().until(() -> queue().find("partners", "released").isPresent());
		assertThat(received("partners", "released")).isEmpty();
		admin().release("partners");
		received("partners", "released", 1);
	}

	@Test
	void aPausedQueueDeliversNothingAndCanBePurged() {
		admin().pause("sms");
		queue().scheduleAll(
				all("sms", 5).stream().map((request) -> request.id(request.id().orElseThrow() + "-p")).toList());
		assertThat(admin().purge("sms").total()).isEqualTo(5);
		admin().resume("sms");
	}

	@Test
	void aRecurringScheduleDeliversOneMessageForEachInstant() {
		await().until(() -> received("digests", "each-second@").size() >= 2);
		assertThat(received("digests", "")).extracting(Received::id).doesNotHaveDuplicates();
		RecurringOperations recurring = shop().bean(RecurringOperations.class);
		assertThat(recurring.list("digests", null, 10).schedules()).hasSize(1);
		assertThat(recurring.runNow("digests", "each-second")).isPresent();
		assertThat(recurring.pause("digests", "each-second")).isTrue();
		assertThat(recurring.resume("digests", "each-second")).isTrue();
	}

	@Test
	void aQueueGetsMorePartitionsWhileMessagesWait() {
		queue().scheduleAll(IntStream.range(0, 20)
			.mapToObj((i) -> ScheduleRequest.to("growing").payload("p").id("before-" + i).delay(MUCH_LATER))
			.toList());
		assertThat(admin().repartition("growing", 3).partitions()).isEqualTo(3);
		queue().scheduleAll(IntStream.range(0, 20)
			.mapToObj((i) -> ScheduleRequest.to("growing").payload("p").id("after-" + i).delay(Duration.ofMillis(100)))
			.toList());
		for (int i = 0; i < 20; i++) {
			assertThat(queue().reschedule("growing", "before-" + i, Duration.ZERO))
				.isEqualTo(RescheduleResult.RESCHEDULED);
		}

		await().until(() -> received("growing", "").size() == 40);
	}

	@Test
	void aMessageIsScheduledWithItsTransactionOrNotAtAll() {
		Shop.Checkout checkout = shop().bean(Shop.Checkout.class);
		assertThatIllegalArgumentException().isThrownBy(() -> checkout.place("rolled-back", false));
		checkout.place("committed", true);

		received("orders", "committed", 1);
		assertThat(queue().find("orders", "rolled-back")).isEmpty();
		assertThat(received("orders", "rolled-back")).isEmpty();
	}

	@Test
	void operatorsSeeAndChangeTheQueues() {
		queue().schedule(ScheduleRequest.to("orders").payload("p").id("seen").delay(MUCH_LATER));

		assertThat(shop().get("/delayqueue").body()).contains("orders", "reports", "digests");
		assertThat(shop().get("/delayqueue/orders/message?id=seen").body()).contains("\"SCHEDULED\"");
		assertThat(shop().get("/delayqueuedashboard").body()).contains("<!DOCTYPE html>");
		assertThat(shop().post("/delayqueue/orders/cancel", "{\"id\":\"seen\"}").statusCode()).isEqualTo(200);
		assertThat(queue().cancel("orders", "seen")).isEqualTo(CancelResult.NOT_FOUND);
		assertThat(shop().get("/health/delayqueue").body()).contains("\"status\":\"UP\"");
		assertThat(shop().get("/metrics/delayqueue.scheduled").statusCode()).isEqualTo(200);
	}

	private DelayQueueOperations queue() {
		return shop().bean(DelayQueueOperations.class);
	}

	private DelayQueueAdmin admin() {
		return shop().bean(DelayQueueAdmin.class);
	}

	private Shop.Listeners listeners() {
		return shop().bean(Shop.Listeners.class);
	}

	private void awaitEnd(String id, MessageEnd.How how) {
		await().until(() -> queue().find("orders", id)
			.map(MessageSnapshot::end)
			.filter((end) -> end != null && end.how() == how)
			.isPresent());
	}

	/** Waits for the deliveries of a message. */
	private List<Received> received(String queue, String id, int count) {
		await().until(() -> received(queue, id).size() >= count);
		return received(queue, id);
	}

	private List<Received> received(String queue, String idPrefix) {
		return listeners().received.stream()
			.filter((message) -> message.queue().equals(queue) && message.id().startsWith(idPrefix))
			.toList();
	}

	private static ScheduleRequest order(String id) {
		return ScheduleRequest.to("orders").payload("p").id(id);
	}

	private static ScheduleRequest report(String user, int number, Duration delay) {
		return ScheduleRequest.to("reports").payload(user).id(user + "-" + number).group(user).delay(delay);
	}

	private static List<ScheduleRequest> all(String queue, int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> ScheduleRequest.to(queue).payload("p").id(queue + "-" + i).delay(Duration.ZERO))
			.toList();
	}

}
