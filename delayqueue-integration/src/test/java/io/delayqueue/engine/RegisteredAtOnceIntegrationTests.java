package io.delayqueue.engine;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.RecurringResult;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.engine.RecurringQueue.daily;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many engines register the same recurring schedules at the same time.
 * {@code -Drecurring.registered=1000} sets their number.
 */
@Tag("slow")
class RegisteredAtOnceIntegrationTests {

	private static final int ENGINES = 20;

	private static final int SCHEDULES = Integer.getInteger("recurring.registered", 100);

	private static final int PARTITIONS = 4;

	/** The most bytes of a definition beside its payload. */
	private static final int MOST_BYTES = 500;

	@RegisterExtension
	private final RecurringQueue queue = new RecurringQueue();

	@Test
	void eachScheduleIsStoredOnce() {
		List<DelayQueueEngine> engines = IntStream.range(0, ENGINES)
			.mapToObj((n) -> this.queue.engine(PARTITIONS))
			.toList();
		ExecutorService threads = Executors.newFixedThreadPool(ENGINES);
		try {
			Map<RecurringResult, Long> results = engines.stream()
				.map((engine) -> CompletableFuture.supplyAsync(() -> register(engine), threads))
				.toList()
				.stream()
				.flatMap((registered) -> registered.join().stream())
				.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

			assertThat(results).containsOnly(Map.entry(RecurringResult.CREATED, (long) SCHEDULES),
					Map.entry(RecurringResult.UNCHANGED, (long) SCHEDULES * (ENGINES - 1)));
		}
		finally {
			threads.shutdown();
		}
		assertThat(this.queue.count("recurring", PARTITIONS)).isEqualTo(SCHEDULES);
		assertThat(this.queue.count("messages", PARTITIONS)).as("the next occurrences").isEqualTo(SCHEDULES);
		assertThat(bytes("recurring") + bytes("recurrences")).isLessThan((long) MOST_BYTES * SCHEDULES);
	}

	private static List<RecurringResult> register(DelayQueueEngine engine) {
		return IntStream.range(0, SCHEDULES)
			.mapToObj((n) -> RecurringQueue.create(engine, daily("schedule-" + n)))
			.toList();
	}

	private long bytes(String key) {
		try (RespClient redis = SharedRedis.get().client()) {
			return IntStream.range(0, PARTITIONS)
				.mapToLong((n) -> (Long) Objects.requireNonNullElse(redis.call("MEMORY", "USAGE",
						this.queue.prefix() + ":{digests:" + n + "}:" + key, "SAMPLES", "0"), 0L))
				.sum();
		}
	}

}
