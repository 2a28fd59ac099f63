package io.delayqueue.engine;

import java.time.Duration;

import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.RepartitionPendingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.engine.GrowingOrders.LATER;
import static io.delayqueue.engine.GrowingOrders.epochs;
import static io.delayqueue.engine.GrowingOrders.schedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Processes whose settings have different partition counts.
 */
class PartitionsPropertyIntegrationTests {

	@RegisterExtension
	final GrowingOrders orders = new GrowingOrders();

	@Test
	void aHigherPropertyCountsAlsoIfTheProcessHasLookedForAMessageBefore() {
		DelayQueueEngine first = this.orders.engine(1);
		schedule(first, "waits", null, LATER, Outcome.CREATED);
		DelayQueueEngine higher = this.orders.engine(4);
		assertThat(higher.operations().find(MessageKey.of("orders", "waits"))).isPresent();
		schedule(higher, "x", null, LATER, Outcome.CREATED);
		await().until(() -> epochs(first).text().equals("4;1,1:4"));
	}

	@Test
	void aHigherPropertyWaitsUntilAnEarlierEpochHasEnded() {
		DelayQueueEngine engine = this.orders.engine(1);
		schedule(engine, "waits", null, LATER, Outcome.CREATED);
		this.orders.grow(engine, 2);
		this.orders.grow(engine, 3);
		engine.operations().cancel(MessageKey.of("orders", "waits"));
		DelayQueueEngine higher = this.orders.engine(4);
		this.orders.consume(higher, 4);
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).raised() == 4);
		assertThat(epochs(engine).newest().partitions()).isEqualTo(4);
	}

	@Test
	void aHigherPropertyRaisesTheCountAndALowerOneChangesNothing() {
		DelayQueueEngine first = this.orders.engine(1);
		schedule(first, "waits", null, LATER, Outcome.CREATED);
		DelayQueueEngine higher = this.orders.engine(3);
		schedule(higher, "waits", null, LATER, Outcome.DUPLICATE);
		await().until(() -> epochs(first).text().equals("3;1,1:3"));

		DelayQueueEngine lower = this.orders.engine(2);
		schedule(lower, "x", null, LATER, Outcome.CREATED);
		this.orders.grow(lower, 1);
		schedule(this.orders.engine(3), "y", null, LATER, Outcome.CREATED);
		assertThat(epochs(first).text()).isEqualTo("3;1,1:3,2:1");
		assertThatExceptionOfType(RepartitionPendingException.class)
			.isThrownBy(() -> first.admin().repartition("orders", 5));
	}

}
