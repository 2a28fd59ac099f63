package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.HoldException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.queue.GroupSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How soon a hold of one handler stops five engines, and how soon they go on after its
 * end. The times are printed, because they depend on the machine.
 */
@Tag("slow")
class HoldSpeedIntegrationTests {

	private static final int ENGINES = 5;

	private static final int ROUNDS = 21;

	private static final Duration HOLD = Duration.ofMillis(500);

	private static final int NO_ENGINE = -1;

	@RegisterExtension
	private final TestEngines engines = new TestEngines();

	private final Queue<Begin> begins = new ConcurrentLinkedQueue<>();

	/** The engine whose next handler throws. */
	private final AtomicInteger throwing = new AtomicInteger(NO_ENGINE);

	private volatile @Nullable Instant thrown;

	private record Begin(int engine, Instant at) {
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "g")
	void anEndedAndABegunHoldAreNoticedSoon(@Nullable String group) {
		String prefix = "hold-speed-" + UUID.randomUUID();
		for (int n = 0; n < ENGINES; n++) {
			int index = n;
			DelayQueueEngine engine = this.engines.engine(prefix, (queue) -> TestEngines.settings(queue, 2,
					new GroupSettings(0, false, false, 0, null, null, Map.of()), 1000, 2));
			QueueConsumer consumer = engine.consumers()
				.create(engine.queues().settings("orders"), (delivery) -> handle(index, group), null, null);
			this.engines.start(consumer);
		}
		schedule(group, ROUNDS * 2000);
		List<Long> lastBegins = new ArrayList<>();
		List<Long> firstBegins = new ArrayList<>();
		for (int round = 0; round < ROUNDS; round++) {
			int thrower = round % ENGINES;
			this.begins.clear();
			this.thrown = null;
			await().until(() -> this.begins.size() > 10 * ENGINES);
			this.throwing.set(thrower);
			await().until(() -> this.thrown != null);
			Instant thrown = this.thrown;
			await().until(() -> this.begins.stream().anyMatch((begin) -> begin.at().isAfter(thrown.plus(HOLD))));
			lastBegins.add(this.begins.stream()
				.filter((begin) -> begin.engine() != thrower && begin.at().isBefore(thrown.plus(HOLD.dividedBy(2))))
				.mapToLong((begin) -> micros(thrown, begin.at()))
				.max()
				.orElse(0));
			firstBegins.add(this.begins.stream()
				.filter((begin) -> begin.at().isAfter(thrown.plus(HOLD.dividedBy(2))))
				.mapToLong((begin) -> micros(thrown.plus(HOLD), begin.at()))
				.min()
				.orElseThrow());
		}
		System.out.printf("%s: last begin in another engine %s us after the throw, first begin %s us after the end%n",
				(group != null) ? "group" : "queue", middleAndHighest(lastBegins), middleAndHighest(firstBegins));
		assertThat(firstBegins).hasSize(ROUNDS);
	}

	private @Nullable CompletionStage<?> handle(int engine, @Nullable String group) throws InterruptedException {
		Instant now = Instant.now();
		if (this.throwing.compareAndSet(engine, NO_ENGINE)) {
			this.thrown = now;
			throw (group != null) ? HoldException.group(HOLD, "partner is away")
					: HoldException.queue(HOLD, "partner is away");
		}
		this.begins.add(new Begin(engine, now));
		TimeUnit.MILLISECONDS.sleep(5);
		return null;
	}

	private void schedule(@Nullable String group, int count) {
		for (int from = 0; from < count; from += 1000) {
			this.engines.first().operations().scheduleAll(IntStream.range(0, 1000).mapToObj((n) -> {
				ScheduleRequest request = ScheduleRequest.to("orders").payload("p").delay(Duration.ZERO);
				return (group != null) ? request.group(group) : request;
			}).toList());
		}
	}

	private static long micros(Instant from, Instant to) {
		return Duration.between(from, to).toNanos() / 1000;
	}

	private static String middleAndHighest(List<Long> times) {
		List<Long> sorted = times.stream().sorted().toList();
		return sorted.get(sorted.size() / 2) + " (highest " + sorted.get(sorted.size() - 1) + ")";
	}

}
