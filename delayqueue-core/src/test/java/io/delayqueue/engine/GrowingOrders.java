package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.queue.Epochs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The queue "orders" on the shared Redis, whose partition count changes, and whose
 * engines and consumers end after each test.
 */
final class GrowingOrders implements BeforeEachCallback, AfterEachCallback {

	/** A delay after the end of each test. */
	static final Duration LATER = Duration.ofHours(1);

	private final String prefix = "repartition-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	private final TestEngines engines = new TestEngines();

	@Override
	public void beforeEach(ExtensionContext context) {
		this.engines.beforeEach(context);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.engines.afterEach(context);
	}

	/** The engines of the test, which end after it. */
	TestEngines engines() {
		return this.engines;
	}

	/** The prefix of all keys. */
	String prefix() {
		return this.prefix;
	}

	/** The ids of all handled messages, in their order. */
	List<String> handled() {
		return this.handled;
	}

	/** An engine that ends after the test. */
	DelayQueueEngine engine(int partitions) {
		return this.engines.engine(this.prefix, (queue) -> TestEngines.settings("orders", partitions));
	}

	/** Starts a consumer that records the messages. */
	QueueConsumer consume(DelayQueueEngine engine, int partitions) {
		QueueConsumer consumer = engine.consumers().create(TestEngines.settings("orders", partitions), (delivery) -> {
			this.handled.add(delivery.id());
			return null;
		}, null, null);
		return this.engines.start(consumer);
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
			String key = this.prefix + ":{" + partition + "}:scheduled";
			return this.engines.template().opsForZSet().range(key, 0, -1).stream();
		}).map((id) -> new String(id, StandardCharsets.UTF_8)).toList();
	}

}
