package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.RateLimit;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The limits of a queue apply over all processes and partitions together.
 */
class QueueLimitsIntegrationTests {

	private static final RateLimit FIVE_AN_HOUR = new RateLimit(5, Duration.ofHours(1), 5);

	private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1000;

	private final String prefix = "limits-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	private final Set<CompletableFuture<Void>> running = ConcurrentHashMap.newKeySet();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	private volatile boolean hold;

	@AfterEach
	void close() {
		this.hold = false;
		this.running.forEach((one) -> one.complete(null));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 4 })
	void allProcessesTogetherKeepTheRate(int partitions) {
		FlowSettings flow = new FlowSettings(FIVE_AN_HOUR, 0);
		start(3, partitions, flow);
		schedule(30);
		for (int hours = 1; hours <= 3; hours++) {
			int expected = 5 * hours;
			await().until(() -> this.handled.size() >= expected);
			await().until(this::isReaderDenied);
			assertThat(this.engines.consumers()).anyMatch(QueueConsumer::isThrottled);
			assertThat(this.handled).hasSize(expected);
			passAnHour();
		}
	}

	@Test
	void anOperatorSetsTheRate() {
		start(2, 2, FlowSettings.NONE);
		DelayQueueEngine engine = this.engines.first();
		schedule(1);
		await().until(() -> this.handled.size() == 1);
		assertThat(engine.admin().limitRate("orders", FIVE_AN_HOUR).rateLimit()).isEqualTo(FIVE_AN_HOUR);
		schedule(10);
		await().until(() -> this.handled.size() == 6);
		await().until(this::isReaderDenied);
		assertThat(this.handled).hasSize(6);

		assertThat(engine.admin().clearRateLimit("orders").stored()).isFalse();
		await().until(() -> this.handled.size() == 11);
	}

	@Test
	void messagesAreDeliveredWithoutARateThoughAPartitionIsMarkedAsLimited() {
		start(1, 1, FlowSettings.NONE);
		schedule(1);
		await().until(() -> this.handled.size() == 1);
		this.engines.first().admin().limitRate("orders", FIVE_AN_HOUR);
		this.engines.template().delete(budget());

		schedule(9);

		await().until(() -> this.handled.size() == 10);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 4 })
	void noMoreMessagesThanAllowedAreInFlight(int partitions) {
		this.hold = true;
		start(3, partitions, new FlowSettings(null, 3));
		schedule(30);
		int ended = 0;
		while (ended < 30) {
			int expected = Math.min(3, 30 - ended);
			await().until(() -> {
				// A message whose handler has returned is pending until it is settled
				long pending = pending(partitions);
				assertThat(pending).isLessThanOrEqualTo(3);
				return this.running.size() == expected && pending == expected;
			});
			CompletableFuture<Void> one = this.running.iterator().next();
			this.running.remove(one);
			one.complete(null);
			ended++;
		}
		await().until(() -> this.handled.size() == 30);
		this.engines.stopConsumers();
		assertThat(this.engines.template().opsForHash().keys(budget()))
			.noneMatch((field) -> field.toString().startsWith("r:"));
	}

	/** The limit is far below the concurrency, 10 in each process. */
	@Tag("slow")
	@ParameterizedTest
	@CsvSource({ "1, 1, 1", "1, 1, 2", "1, 4, 2", "3, 1, 2", "3, 4, 2" })
	void aLimitOfMessagesInFlightIsUsedWithoutGaps(int processes, int partitions, int most) {
		start(processes, partitions, FlowSettings.NONE, Math.max(1, most / processes));
		long unlimited = nanosFor(500);
		this.engines.stop();
		start(processes, partitions, new FlowSettings(null, most), 10);

		this.handled.clear();
		long limited = nanosFor(500);

		assertThat(limited).as("ns, compared with a concurrency without a limit").isLessThan(4 * unlimited);
	}

	/** Returns the time for messages after as many others. */
	private long nanosFor(int messages) {
		schedule(messages);
		await().until(() -> this.handled.size() == messages);
		this.handled.clear();
		long began = System.nanoTime();
		schedule(messages);
		await().until(() -> this.handled.size() == messages);
		return System.nanoTime() - began;
	}

	@Test
	void whatASilentReaderHeldIsFreeOnceItIsNoLongerPending() {
		this.engines.template()
			.opsForHash()
			.put(budget(), "r:ghost/gone/0", "1|2|2|0|0".getBytes(StandardCharsets.UTF_8));
		this.engines.template().opsForHash().put(budget(), "in-flight", "2".getBytes(StandardCharsets.UTF_8));
		this.engines.template()
			.opsForZSet()
			.add(this.prefix + ":{orders:0}:permits", "ghost/gone/0".getBytes(StandardCharsets.UTF_8), 1);
		this.hold = true;
		start(1, 1, new FlowSettings(null, 2));
		schedule(2);
		await().until(() -> this.running.size() == 2);
	}

	@Test
	void unusedTokensAreReturned() {
		start(2, 1, new FlowSettings(new RateLimit(1, Duration.ofHours(1), 1), 0));
		for (int n = 0; n < 3; n++) {
			this.engines.first().operations().schedule(ScheduleRequest.to("orders").payload("p").delay(Duration.ZERO));
			int expected = n + 1;
			await().until(() -> this.handled.size() == expected);
			passAnHour();
		}
	}

	private void start(int processes, int partitions, FlowSettings flow) {
		start(processes, partitions, flow, 10);
	}

	private void start(int processes, int partitions, FlowSettings flow, int concurrency) {
		for (int n = 0; n < processes; n++) {
			DelayQueueEngine engine = this.engines.engine(this.prefix,
					(queue) -> settings(queue, partitions, flow, concurrency));
			engine.start();
			QueueConsumer consumer = engine.consumers()
				.create(settings("orders", partitions, flow, concurrency), (delivery) -> handle(delivery.id()), null,
						null);
			this.engines.start(consumer);
		}
	}

	private CompletionStage<?> handle(String id) {
		this.handled.add(id);
		CompletableFuture<Void> end = new CompletableFuture<>();
		if (this.hold) {
			this.running.add(end);
		}
		else {
			end.complete(null);
		}
		return end;
	}

	private void schedule(int count) {
		this.engines.first()
			.operations()
			.scheduleAll(IntStream.range(0, count)
				.mapToObj((n) -> ScheduleRequest.to("orders").payload("p").delay(Duration.ZERO))
				.toList());
	}

	private String budget() {
		return this.prefix + ":{orders:0}:budget";
	}

	private boolean isReaderDenied() {
		Object turn = this.engines.template().opsForHash().get(budget(), "turn");
		return turn instanceof byte[] bytes
				&& Double.parseDouble(new String(bytes, StandardCharsets.UTF_8)) > System.currentTimeMillis() * 1000;
	}

	/** Lets Redis see the budget as if an hour had passed. */
	private void passAnHour() {
		this.engines.template().opsForHash().put(budget(), "turn", "0".getBytes(StandardCharsets.UTF_8));
		byte[] full = (byte[]) this.engines.template().opsForHash().get(budget(), "full-at");
		long earlier = Long.parseLong(new String(full, StandardCharsets.UTF_8)) - HOUR_MICROS;
		this.engines.template()
			.opsForHash()
			.put(budget(), "full-at", Long.toString(earlier).getBytes(StandardCharsets.UTF_8));
	}

	/** The messages in the streams: nothing is made ready before it is delivered. */
	private long pending(int partitions) {
		return IntStream.range(0, partitions)
			.mapToLong((n) -> this.engines.template().opsForStream().size(this.prefix + ":{orders:" + n + "}:ready"))
			.sum();
	}

	private static QueueSettings settings(String queue, int partitions, FlowSettings flow, int concurrency) {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, partitions, concurrency, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofSeconds(10), retry, GroupSettings.NONE, ExpirySettings.NEVER, flow,
				EndSettings.NONE);
	}

}
