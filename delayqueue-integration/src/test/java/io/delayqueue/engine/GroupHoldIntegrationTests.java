package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.delayqueue.HoldException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.queue.GroupSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.engine.HeldOrders.LONG;
import static io.delayqueue.engine.HeldOrders.schedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Single groups of a queue are held.
 */
class GroupHoldIntegrationTests {

	private static final GroupSettings STRICT = new GroupSettings(0, false, false, 1, null, null, Map.of());

	@RegisterExtension
	final HeldOrders orders = new HeldOrders();

	@Test
	void onlyTheGroupIsHeldAndItsMessagesArePrepared() {
		DelayQueueEngine one = this.orders.consuming(3, GroupSettings.NONE);
		this.orders.consuming(3, GroupSettings.NONE);
		this.orders.thrown().put("g-first", HoldException.group(LONG, "tenant is over its limit"));
		schedule(one, "g-first", "g");
		await().until(() -> !one.admin().holds("orders").isEmpty());
		QueueHold hold = one.admin().holds("orders").get(0);
		assertThat(hold).extracting(QueueHold::group, QueueHold::by, QueueHold::why)
			.containsExactly("g", By.HANDLER, "tenant is over its limit");
		assertThat(one.admin().status("orders").isHeld()).isFalse();

		IntStream.range(0, 20).forEach((n) -> {
			schedule(one, "g-" + n, "g");
			schedule(one, "h-" + n, "h");
			schedule(one, "n-" + n, null);
		});

		await().until(() -> this.orders.handled().size() == 40);
		MessageKey parked = MessageKey.of("orders", "g-3").inGroup("g");
		await().until(() -> one.operations().find(parked).orElseThrow().state() == MessageState.PARKED);
		assertThat(this.orders.handled()).noneMatch((id) -> id.startsWith("g"));
		this.orders.thrown().clear();
		one.admin().release("orders", "g");

		await().until(() -> this.orders.handled().size() == 60);
		assertThat(this.orders.handled()).doesNotHaveDuplicates();
		assertThat(this.orders.ended()).containsExactly("orders g");
	}

	@Test
	void aGroupGoesOnByItselfAtTheEndOfItsHold() {
		DelayQueueEngine one = this.orders.consuming(2, GroupSettings.NONE);
		this.orders.consuming(2, GroupSettings.NONE);
		Instant end = one.admin().hold("orders", "g", Duration.ofSeconds(2), "").until();
		IntStream.range(0, 100).forEach((n) -> schedule(one, "g-" + n, "g"));
		schedule(one, "other", "h");
		await().until(() -> this.orders.handled().stream().anyMatch((id) -> id.startsWith("g-")));
		assertThat(Instant.now()).isAfterOrEqualTo(end);

		await().until(() -> this.orders.handled().size() == 101);

		assertThat(this.orders.handled()).doesNotHaveDuplicates();
		assertThat(one.admin().holds("orders")).isEmpty();
	}

	@Test
	void messagesOfAGroupThatHandlersHaveNotBegunGoBackAndKeepTheirOrder() {
		DelayQueueEngine one = this.orders.engine(1, STRICT);
		this.orders.blockHandlers();
		this.orders.consume(one, STRICT, 10, this.orders.single());
		schedule(one, "h-0", "h");
		this.orders.awaitHandler();
		IntStream.range(0, 5).forEach((n) -> schedule(one, "g-" + n, "g"));
		await().until(() -> this.orders.pending("orders") == 2);

		one.admin().hold("orders", "g", LONG, "");

		await().until(() -> this.orders.pending("orders") == 1);
		this.orders.unblockHandlers();
		schedule(one, "h-1", "h");
		await().until(() -> this.orders.handled().equals(List.of("h-0", "h-1")));
		one.admin().release("orders", "g");
		await().until(() -> this.orders.handled().size() == 7);
		assertThat(this.orders.handled().subList(2, 7)).containsExactly("g-0", "g-1", "g-2", "g-3", "g-4");
	}

	@Test
	void readyMessagesOfAHeldGroupGoBack() {
		DelayQueueEngine one = this.orders.engine(1, GroupSettings.NONE);
		this.orders.blockHandlers();
		this.orders.consume(one, GroupSettings.NONE, 1, null);
		schedule(one, "h-0", "h");
		this.orders.awaitHandler();
		schedule(one, "g-0", "g");
		schedule(one, "g-1", "g");
		await().until(() -> state(one, "g-1") == MessageState.READY);

		one.admin().hold("orders", "g", LONG, "");
		this.orders.unblockHandlers();
		schedule(one, "h-1", "h");

		await().until(() -> this.orders.handled().equals(List.of("h-0", "h-1")));
		await().until(() -> state(one, "g-0") == MessageState.PARKED && state(one, "g-1") == MessageState.PARKED);
		one.admin().release("orders", "g");
		await().until(() -> this.orders.handled().size() == 4);
		assertThat(this.orders.handled()).doesNotHaveDuplicates();
	}

	private static MessageState state(DelayQueueEngine engine, String id) {
		return engine.operations().find(MessageKey.of("orders", id).inGroup("g")).orElseThrow().state();
	}

}
