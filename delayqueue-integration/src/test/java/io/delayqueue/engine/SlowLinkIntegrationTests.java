package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.RateLimit;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A queue whose calls to Redis take long: longer than a grant is valid at first.
 */
@Tag("slow")
class SlowLinkIntegrationTests {

	private static final Duration ROUND_TRIP = Duration.ofMillis(70);

	private static final int IN_FLIGHT = 3;

	private final String prefix = "slow-link-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	/** The runs that have begun and not ended. */
	private final List<CompletableFuture<Void>> running = new CopyOnWriteArrayList<>();

	private final FaultProxy proxy = FaultProxy.to(SharedRedis.get().host(), SharedRedis.get().port());

	@RegisterExtension
	final TestEngines engines = new TestEngines(this.proxy.host(), this.proxy.port());

	@BeforeEach
	void slow() {
		this.proxy.delay(ROUND_TRIP);
	}

	@AfterEach
	void close() {
		this.running.forEach((one) -> one.complete(null));
		this.proxy.delay(Duration.ZERO);
		this.engines.stop();
		this.proxy.close();
	}

	@Test
	void allTokensOfTheRateAreUsed() {
		QueueConsumer consumer = start(new FlowSettings(new RateLimit(40, Duration.ofHours(1), 40), 0));
		schedule(60);

		await().until(() -> {
			end();
			return this.handled.size() >= 40;
		});
		await().until(consumer::isThrottled);

		assertThat(this.handled).hasSize(40);
	}

	@Test
	void allPermitsAreUsedAndNoMore() {
		start(new FlowSettings(null, IN_FLIGHT));
		schedule(12);

		for (int ended = 0; ended < 12; ended += IN_FLIGHT) {
			await().until(() -> {
				assertThat(this.running).hasSizeLessThanOrEqualTo(IN_FLIGHT);
				return this.running.size() == IN_FLIGHT;
			});
			end();
		}
		assertThat(this.handled).hasSize(12);
	}

	@Test
	void aHoldThatEndsBeforeItsCallArrivesIsNotRefused() {
		start(FlowSettings.NONE);
		schedule(1);
		DelayQueueAdmin admin = this.engines.first().admin();

		QueueHold hold = admin.hold("orders", ROUND_TRIP.dividedBy(2), "test");

		assertThat(hold.until()).isBefore(Instant.now());
		assertThat(admin.holds("orders")).isEmpty();
	}

	private void end() {
		List<CompletableFuture<Void>> all = List.copyOf(this.running);
		this.running.removeAll(all);
		all.forEach((one) -> one.complete(null));
	}

	private QueueConsumer start(FlowSettings flow) {
		DelayQueueEngine engine = this.engines.engine(this.prefix, (queue) -> settings(queue, flow));
		engine.start();
		return this.engines.start(
				engine.consumers().create(settings("orders", flow), (delivery) -> handle(delivery.id()), null, null));
	}

	private CompletionStage<?> handle(String id) {
		CompletableFuture<Void> run = new CompletableFuture<>();
		this.running.add(run);
		this.handled.add(id);
		return run;
	}

	private void schedule(int count) {
		this.engines.first()
			.operations()
			.scheduleAll(IntStream.range(0, count)
				.mapToObj((n) -> ScheduleRequest.to("orders").payload("p").delay(Duration.ZERO))
				.toList());
	}

	private static QueueSettings settings(String queue, FlowSettings flow) {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000, Duration.ofSeconds(10),
				Duration.ofSeconds(10), retry, GroupSettings.NONE, ExpirySettings.NEVER, flow, EndSettings.NONE);
	}

}
