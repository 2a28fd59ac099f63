package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.queue.Epochs;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The queue "orders" on the shared Redis, whose partition count changes, and whose
 * engines and consumers end after each test.
 */
final class GrowingOrders extends ConsumedQueue {

	/** A delay after the end of each test. */
	static final Duration LATER = Duration.ofHours(1);

	GrowingOrders() {
		super("orders", "repartition");
	}

	/** An engine that ends after the test. */
	DelayQueueEngine engine(int partitions) {
		return engines().engine(prefix(), (queue) -> TestEngines.settings("orders", partitions),
				(builder) -> builder.intervals(TestEngines.SHORT));
	}

	/** An engine that ends after the test, with rare background calls. */
	DelayQueueEngine idleEngine(int partitions) {
		return engines().engine(prefix(), (queue) -> TestEngines.settings("orders", partitions));
	}

	/** Changes the partition count, and waits until the new partitions are used. */
	void grow(DelayQueueEngine engine, int partitions) {
		engine.admin().repartition("orders", partitions);
		await().until(() -> !epochs(engine).newest().announced());
		assertThat(epochs(engine).current().partitions()).isEqualTo(partitions);
	}

	static Epochs epochs(DelayQueueEngine engine) {
		return engine.directory().read("orders").orElseThrow();
	}

	static String schedule(DelayQueueEngine engine, String id, @Nullable String group, Duration delay,
			Outcome expected) {
		ScheduleRequest request = ScheduleRequest.to("orders")
			.id(id)
			.payload("p")
			.delay(delay)
			.onDuplicate(DuplicatePolicy.keep());
		var result = engine.operations().schedule((group != null) ? request.group(group) : request);
		assertThat(result.outcome()).isEqualTo(expected);
		return result.id();
	}

	static String scheduleGenerated(DelayQueueEngine engine) {
		return engine.operations().schedule(ScheduleRequest.to("orders").payload("p").delay(LATER)).id();
	}

	/** The waiting messages of one epoch. */
	List<String> messagesOf(DelayQueueEngine engine, int epoch) {
		Epochs epochs = epochs(engine);
		return epochs.partitions().stream().filter((partition) -> partition.epoch() == epoch).flatMap((partition) -> {
			String key = prefix() + ":{" + partition + "}:scheduled";
			return engines().template().opsForZSet().range(key, 0, -1).stream();
		}).map((id) -> new String(id, StandardCharsets.UTF_8)).toList();
	}

}
