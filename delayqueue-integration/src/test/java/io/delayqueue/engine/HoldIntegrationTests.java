package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.HoldException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.SweepSettings;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.engine.HeldOrders.LONG;
import static io.delayqueue.engine.HeldOrders.schedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Queues and groups are held by handlers and by operators, while several processes
 * consume them.
 */
class HoldIntegrationTests {

	@RegisterExtension
	final HeldOrders orders = new HeldOrders();

	@Test
	void aHandlerHoldsTheQueueInAllProcessesUntilARelease() {
		DelayQueueEngine one = this.orders.consuming(3, GroupSettings.NONE);
		DelayQueueEngine other = this.orders.consuming(3, GroupSettings.NONE);
		this.orders.thrown().put("first", HoldException.queue(LONG, "429 Too Many\nRequests"));
		Instant before = Instant.now();
		schedule(one, "first", null);
		await().until(() -> one.admin().status("orders").isHeld());

		QueueHold hold = one.admin().holds("orders").get(0);
		assertThat(hold.until()).isBetween(before.plus(LONG).minusSeconds(5), Instant.now().plus(LONG).plusSeconds(5));
		assertThat(hold).isEqualTo(
				new QueueHold("orders", null, hold.until(), By.HANDLER, hold.process(), "429 Too Many Requests"));
		assertThat(hold.process()).isIn(one.fleet().member(), other.fleet().member());
		IntStream.range(0, 50).forEach((n) -> schedule(other, "later-" + n, null));
		this.orders.awaitSweeps();
		assertThat(this.orders.handled()).isEmpty();
		await().until(() -> this.orders.observed().size() == 1);
		assertThat(this.orders.observed()).containsExactly(hold);
		assertThat(one.operations().find(MessageKey.of("orders", "first")).orElseThrow().nextAttemptAt())
			.isBetween(hold.until().minusSeconds(5), hold.until().plusSeconds(60));
		assertThat(one.admin().status("orders").hold()).isEqualTo(hold);

		this.orders.thrown().clear();
		other.admin().release("orders");

		await().until(() -> this.orders.handled().size() == 50);
		assertThat(one.admin().status("orders").isHeld()).isFalse();
		assertThat(this.orders.ended()).containsExactly("orders null");
	}

	@Test
	void deliveryGoesOnByItselfAtTheEndOfAHold() {
		DelayQueueEngine one = this.orders.consuming(3, GroupSettings.NONE);
		this.orders.consuming(3, GroupSettings.NONE);
		this.orders.thrown().put("first", HoldException.queue(Duration.ofSeconds(2), "busy"));
		schedule(one, "first", null);
		await().until(() -> one.admin().status("orders").isHeld());
		Instant until = one.admin().holds("orders").get(0).until();
		this.orders.thrown().clear();
		IntStream.range(0, 20).forEach((n) -> schedule(one, "later-" + n, null));

		await().until(() -> this.orders.handled().size() == 21);

		assertThat(one.admin().holds("orders")).isEmpty();
		assertThat(Instant.now()).isAfterOrEqualTo(until);
		assertThat(this.orders.handled()).doesNotHaveDuplicates();
	}

	/** The next sweep would come later than this test waits. */
	@Test
	void aSweepIsPlannedForTheEndOfAHold() {
		this.orders.sweeper(new SweepSettings(Duration.ofMinutes(1), 200, 0));
		DelayQueueEngine one = this.orders.consuming(1, GroupSettings.NONE);
		schedule(one, "first", null);
		await().until(() -> this.orders.handled().equals(List.of("first")));
		one.admin().hold("orders", "g", Duration.ofSeconds(1), "");
		schedule(one, "of-group", "g");
		await().atMost(Duration.ofSeconds(30)).until(() -> this.orders.handled().equals(List.of("first", "of-group")));

		one.admin().hold("orders", Duration.ofSeconds(1), "");
		schedule(one, "of-queue", null);

		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.orders.handled().equals(List.of("first", "of-group", "of-queue")));
	}

	@Test
	void messagesThatHandlersHaveNotBegunGoBack() {
		DelayQueueEngine one = this.orders.engine(1, GroupSettings.NONE);
		this.orders.blockHandlers();
		this.orders.consume(one, GroupSettings.NONE, 10, this.orders.single());
		IntStream.range(0, 20).forEach((n) -> schedule(one, "id-" + n, null));
		this.orders.awaitHandler();
		await().until(() -> this.orders.pending("orders") == 10);

		one.admin().hold("orders", LONG, "maintenance");

		await().until(() -> this.orders.pending("orders") == 1);
		this.orders.unblockHandlers();
		await().until(() -> this.orders.handled().size() == 1);
		this.orders.awaitSweeps();
		assertThat(this.orders.handled()).hasSize(1);
		one.admin().release("orders");
		await().until(() -> this.orders.handled().size() == 20);
		assertThat(this.orders.handled()).doesNotHaveDuplicates();
	}

	@Test
	void aHandlerHoldsAtMostForMaxHoldAndNeverShortensAHold() {
		DelayQueueEngine one = this.orders.consuming(1, GroupSettings.NONE);
		this.orders.thrown().put("long", HoldException.queue(Duration.ofDays(10), ""));
		schedule(one, "long", null);
		await().until(() -> one.admin().status("orders").isHeld());
		assertThat(one.admin().holds("orders").get(0).until()).isBefore(Instant.now().plus(Duration.ofMinutes(70)));

		Instant later = Instant.ofEpochMilli(Instant.now().plus(Duration.ofDays(20)).toEpochMilli());
		QueueHold operated = one.admin().hold("orders", later, "partner is away");
		assertThat(operated).extracting(QueueHold::until, QueueHold::by, QueueHold::why)
			.containsExactly(later, By.OPERATOR, "partner is away");
		assertThat(one.admin().hold("orders", Duration.ofMinutes(1), "shorter")).isEqualTo(operated);
		assertThat(one.admin().holds("orders")).containsExactly(operated);
	}

	@Test
	void aHoldOfTheGroupOfAMessageWithoutAGroupOnlyDefers() {
		DelayQueueEngine one = this.orders.consuming(1, GroupSettings.NONE);
		this.orders.thrown().put("no-group", HoldException.group(LONG, "no group"));
		schedule(one, "no-group", null);
		MessageKey deferred = MessageKey.of("orders", "no-group");
		await().until(() -> one.operations()
			.find(deferred)
			.map(MessageSnapshot::nextAttemptAt)
			.filter((next) -> next.isAfter(Instant.now().plusSeconds(60)))
			.isPresent());
		this.orders.thrown().clear();
		schedule(one, "other", null);

		await().until(() -> this.orders.handled().contains("other"));
		assertThat(one.admin().holds("orders")).isEmpty();
	}

	@Test
	void aHoldCountsAsADefer() {
		DelayQueueEngine one = this.orders.engine(1, GroupSettings.NONE);
		QueueConsumer consumer = one.consumers()
			.create(TestEngines.settings("orders", 1, GroupSettings.NONE, 1, 10), (delivery) -> {
				throw HoldException.queue(Duration.ofMillis(1), "again");
			}, null, null);
		this.orders.engines().start(consumer);
		schedule(one, "often", null);

		await().until(() -> one.admin().deadLetter(MessageKey.of("orders", "often")).isPresent());

		assertThat(one.admin().deadLetter(MessageKey.of("orders", "often")).orElseThrow().reason())
			.isEqualTo("DEFERRED_TOO_OFTEN");
	}

	@Test
	void aQueueCanBeHeldBeforeItsConsumerHasStarted() {
		DelayQueueEngine one = this.orders.engine(3, GroupSettings.NONE);
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> one.admin().hold("orders", LONG, "no process has used it"));
		one.consumers()
			.create(TestEngines.settings("orders", 3, GroupSettings.NONE, 1000, 10), (delivery) -> null, null, null);

		one.admin().hold("orders", "g", LONG, "");

		this.orders.consuming(3, GroupSettings.NONE);
		schedule(one, "g-0", "g");
		schedule(one, "h-0", "h");
		await().until(() -> this.orders.handled().equals(List.of("h-0")));
		await().until(() -> one.operations()
			.find(MessageKey.of("orders", "g-0").inGroup("g"))
			.orElseThrow()
			.state() == MessageState.PARKED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "g" })
	@DisplayName("row 74: a hold goes on when all processes have been replaced")
	void aHoldGoesOnWhenAllProcessesHaveBeenReplaced(String group) {
		DelayQueueEngine old = this.orders.consuming(1, GroupSettings.NONE);
		schedule(old, "first", null);
		await().until(() -> this.orders.handled().equals(List.of("first")));
		if (group.isEmpty()) {
			old.admin().hold("orders", LONG, "");
		}
		else {
			old.admin().hold("orders", group, LONG, "");
		}
		schedule(old, "held", "g");
		this.orders.engines().stop();

		DelayQueueEngine one = this.orders.consuming(1, GroupSettings.NONE);
		schedule(one, "free", "h");
		this.orders.awaitSweeps();

		assertThat(this.orders.handled()).isEqualTo(group.isEmpty() ? List.of("first") : List.of("first", "free"));
		one.admin().release("orders");
		await().until(() -> this.orders.handled().size() == 3);
	}

	@Test
	void holdsOutlastProcessesAndAPauseIsIndependent() {
		DelayQueueEngine one = this.orders.engine(1, GroupSettings.NONE);
		schedule(one, "id", null);
		one.admin().hold("orders", LONG, "");
		one.admin().pause("orders");
		this.orders.consuming(1, GroupSettings.NONE);
		this.orders.awaitSweeps();
		one.admin().resume("orders");
		this.orders.awaitSweeps();

		assertThat(this.orders.handled()).isEmpty();
		one.admin().pause("orders");
		one.admin().release("orders");
		this.orders.awaitSweeps();
		assertThat(this.orders.handled()).isEmpty();
		one.admin().resume("orders");
		await().until(() -> this.orders.handled().equals(List.of("id")));
	}

	@Test
	void aNewEpochInheritsHolds() {
		DelayQueueEngine one = this.orders.consuming(2, GroupSettings.NONE);
		schedule(one, "before", "x");
		await().until(() -> this.orders.handled().equals(List.of("before")));
		QueueHold group = one.admin().hold("orders", "g", LONG, "group");
		QueueHold queue = one.admin().hold("orders", LONG, "queue");

		one.admin().repartition("orders", 8);
		await().until(() -> !one.directory().read("orders").orElseThrow().newest().announced());

		schedule(one, "g-1", "g");
		schedule(one, "h-1", "h");
		IntStream.range(0, 20).forEach((n) -> schedule(one, "n-" + n, null));
		this.orders.awaitSweeps();
		assertThat(this.orders.handled()).hasSize(1);
		await().atMost(Duration.ofMinutes(1))
			.until(() -> one.directory().read("orders").orElseThrow().epochs().size() == 1);
		assertThat(one.admin().holds("orders")).containsExactly(queue, group);

		one.admin().release("orders");
		await().until(() -> this.orders.handled().size() == 23);
	}

	@Test
	void badInputIsRefusedByName() {
		DelayQueueEngine one = this.orders.engine(1, GroupSettings.NONE);
		schedule(one, "id", null);

		refused("until", () -> one.admin().hold("orders", Instant.now().minusSeconds(1), ""));
		refused("until", () -> one.admin().hold("orders", Instant.EPOCH, ""));
		refused("until", () -> one.admin().hold("orders", Instant.MAX, ""));
		refused("duration", () -> one.admin().hold("orders", Duration.ofSeconds(-1), ""));
		refused("duration", () -> one.admin().hold("orders", Duration.ZERO, ""));
		refused("group", () -> one.admin().hold("orders", "", LONG, ""));
		refused("queue", () -> one.admin().hold("unknown", LONG, ""));
		refused("queue", () -> one.admin().hold("no queue", LONG, ""));
		refused("queue", () -> one.admin().release("unknown"));
		refused("queue", () -> one.admin().holds("unknown"));
		assertThat(one.admin().holds("orders")).isEmpty();
		one.admin().release("orders");
		one.admin().release("orders", "g");
		assertThat(this.orders.ended()).isEmpty();
	}

	private static void refused(String field, Runnable call) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::run)
			.satisfies((invalid) -> assertThat(invalid.field()).isEqualTo(field));
	}

}
