package io.delayqueue.engine;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.delivery.QueueConsumer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A queue on the shared Redis, whose handled messages are recorded, and whose engines and
 * consumers end after each test.
 */
abstract class ConsumedQueue implements BeforeEachCallback, AfterEachCallback {

	private final String name;

	private final String prefix;

	private final List<String> handled = new CopyOnWriteArrayList<>();

	private final TestEngines engines = new TestEngines();

	ConsumedQueue(String name, String prefix) {
		this.name = name;
		this.prefix = prefix + "-" + UUID.randomUUID();
	}

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

	/** Starts a consumer that records the messages. */
	QueueConsumer consume(DelayQueueEngine engine, int partitions) {
		return consume(engine, partitions, new CountDownLatch(0));
	}

	/** Starts a consumer that records the messages, and ends no handler before a time. */
	QueueConsumer consume(DelayQueueEngine engine, int partitions, CountDownLatch end) {
		QueueConsumer consumer = engine.consumers().create(TestEngines.settings(this.name, partitions), (delivery) -> {
			end.await();
			this.handled.add(delivery.id());
			return null;
		}, null, null);
		return this.engines.start(consumer);
	}

}
