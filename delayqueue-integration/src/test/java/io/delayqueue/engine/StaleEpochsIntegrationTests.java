package io.delayqueue.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import io.delayqueue.CancelResult;
import io.delayqueue.MessageKey;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.queue.Epochs;
import io.delayqueue.store.Snapshots;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.engine.GrowingOrders.LATER;
import static io.delayqueue.engine.GrowingOrders.epochs;
import static io.delayqueue.engine.GrowingOrders.schedule;
import static io.delayqueue.engine.GrowingOrders.scheduleGenerated;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Processes that have not read the last change of the partition count.
 */
class StaleEpochsIntegrationTests {

	@RegisterExtension
	final GrowingOrders orders = new GrowingOrders();

	@Test
	void aProcessThatHasMissedTwoChangesStoresARecurringSchedule() {
		DelayQueueEngine stale = this.orders.engine(1);
		DelayQueueEngine engine = this.orders.engine(1);
		this.orders.consume(engine, 1);
		schedule(engine, "first", null, LATER, Outcome.CREATED);
		this.orders.grow(engine, 2);
		schedule(stale, "second", null, LATER, Outcome.CREATED);
		engine.operations().cancel(MessageKey.of("orders", "first"));
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:2"));
		this.orders.grow(engine, 3);

		assertThat(stale.recurring()
			.createOrReplace(RecurringSchedule.to("orders", "daily").payload("p").every(Duration.ofDays(1))))
			.isEqualTo(RecurringResult.CREATED);
	}

	@Test
	void aProcessThatHasNotReadTheChangeFollowsIt() {
		DelayQueueEngine stale = this.orders.engine(1);
		DelayQueueEngine engine = this.orders.engine(1);
		schedule(stale, "waits", null, LATER, Outcome.CREATED);
		schedule(engine, "g-1", "g", LATER, Outcome.CREATED);
		this.orders.grow(engine, 8);
		schedule(engine, "new", null, LATER, Outcome.CREATED);

		assertThat(stale.operations().find(MessageKey.of("orders", "new"))).isPresent();
		schedule(stale, "new", null, LATER, Outcome.DUPLICATE);

		DelayQueueEngine another = this.orders.engine(1);
		schedule(another, "waits", null, LATER, Outcome.DUPLICATE);
		assertThat(another.operations().cancel(MessageKey.of("orders", "new")).name()).isEqualTo("CANCELLED");
		assertThat(this.orders.messagesOf(engine, 1)).isEmpty();
	}

	@Test
	void aGeneratedIdIsFoundBeforeTheOlderPartitionsAreClosed() {
		DelayQueueEngine stale = this.orders.engine(1);
		DelayQueueEngine engine = this.orders.engine(1);
		schedule(stale, "waits", null, LATER, Outcome.CREATED);
		Epochs announced = epochs(engine).announce(4, 1);
		engine.directory().change(epochs(engine), announced);
		engine.directory().change(announced, announced.activate());
		String generated = scheduleGenerated(engine);
		assertThat(this.orders.messagesOf(engine, 1)).containsExactly(generated);

		assertThat(stale.operations().find(MessageKey.of("orders", generated))).isPresent();

		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			stale.operations().find(MessageKey.of("orders", "unknown"));
			assertThat(log.count("HGET")).isZero();
			stale.operations().find(MessageKey.of("orders", "0".repeat(24)));
			assertThat(log.count("HGET")).isOne();
		}
		assertThat(this.orders.engine(1).operations().cancel(MessageKey.of("orders", generated)))
			.isEqualTo(CancelResult.CANCELLED);
	}

	@Test
	void aProcessThatOnlyCountsFollowsTheChange() {
		DelayQueueEngine counting = this.orders.idleEngine(1);
		schedule(counting, "waits", null, LATER, Outcome.CREATED);
		QueueStatistics statistics = new QueueStatistics(new Snapshots(counting.calls()), counting.queues(),
				counting.directory(), counting.gate(), Duration.ZERO, LATER);
		assertThat(scheduled(statistics)).isOne();
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			assertThat(scheduled(statistics)).isOne();
			assertThat(log.commands())
				.filteredOn((command) -> command.arguments().contains(this.orders.prefix() + ":{orders:0}:scheduled"))
				.hasSize(1);
			assertThat(log.count("HGET")).isZero();
		}

		DelayQueueEngine engine = this.orders.engine(1);
		this.orders.grow(engine, 4);
		schedule(engine, "new", null, LATER, Outcome.CREATED);
		assertThat(scheduled(statistics)).isEqualTo(2);

		Epochs both = epochs(engine);
		engine.operations().cancel(MessageKey.of("orders", "waits"));
		engine.directory().change(both, both.without(0));
		assertThat(scheduled(statistics)).isOne();
		assertThat(counting.directory().cached(TestEngines.settings("orders", 1)).epochs()).hasSize(1);
	}

	private static long scheduled(QueueStatistics statistics) {
		return Objects.requireNonNull(statistics.of("orders")).scheduled();
	}

	@Test
	void aStaleCallIsNotStoredInAClosedPartition() {
		DelayQueueEngine stale = this.orders.engine(1);
		DelayQueueEngine engine = this.orders.engine(1);
		schedule(stale, "waits", null, LATER, Outcome.CREATED);
		this.orders.grow(engine, 8);

		List<ScheduleRequest> requests = new ArrayList<>();
		IntStream.range(0, 10)
			.forEach((n) -> requests.add(ScheduleRequest.to("orders").id("bulk-" + n).payload("p").delay(LATER)));
		requests.add(ScheduleRequest.to("orders").id("waits").payload("p").delay(LATER));
		requests.add(ScheduleRequest.to("orders").payload("p").delay(LATER));

		assertThat(stale.operations().scheduleAll(requests)).extracting((answer) -> answer.result().outcome())
			.containsOnlyOnce(Outcome.DUPLICATE)
			.hasSize(12);
		assertThat(this.orders.messagesOf(engine, 0)).containsExactly("waits");
		assertThat(this.orders.messagesOf(engine, 1)).hasSize(11);
	}

	@Test
	void theFirstCallOfAProcessWithAnotherCountStoresNothingTwice() {
		DelayQueueEngine first = this.orders.engine(8);
		IntStream.range(0, 20).forEach((n) -> schedule(first, "x-" + n, "g-" + n, LATER, Outcome.CREATED));
		IntStream.range(0, 20)
			.forEach((n) -> schedule(this.orders.engine(1), "x-" + n, "g-" + n, LATER, Outcome.DUPLICATE));
		List<ScheduleRequest> all = new ArrayList<>();
		IntStream.range(0, 20)
			.forEach((n) -> all
				.add(ScheduleRequest.to("orders").id("x-" + n).group("g-" + n).payload("p").delay(LATER)));
		assertThat(this.orders.engine(2).operations().scheduleAll(all))
			.extracting((answer) -> answer.result().outcome())
			.containsOnly(Outcome.DUPLICATE);
	}

}
