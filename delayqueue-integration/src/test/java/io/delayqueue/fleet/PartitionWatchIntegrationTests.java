package io.delayqueue.fleet;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.engine.TestEngines;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.SweepSettings;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.awaitility.Awaitility.await;

/**
 * Which idle partitions a process checks.
 */
class PartitionWatchIntegrationTests {

	private static final Partition PARTITION = new Partition("orders", 0);

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	private final Signals signals = new Signals();

	private final TaskPool tasks = new TaskPool();

	private final RedisGate gate = new RedisGate(this.tasks, null);

	private final AtomicLong lastCheck = new AtomicLong(Signals.longAgo());

	private Fleet fleet;

	private PartitionWatch watch;

	@BeforeEach
	void start() {
		RedisCalls calls = this.engines.engine("watch-" + UUID.randomUUID(), (queue) -> TestEngines.settings(queue, 1))
			.calls();
		this.fleet = new Fleet(true, new Members(calls), new QueueDirectory(calls), new HintChannel(calls),
				this.signals, this.gate, this.tasks);
		this.watch = new PartitionWatch(new SweepSettings(Duration.ofMillis(10), 100, 0), calls, this.signals,
				this.fleet, this.gate, this.tasks);
	}

	@AfterEach
	void close() {
		this.tasks.close();
	}

	@Test
	void idlePartitionOfAConsumerThatRestartsIsStillChecked() {
		this.signals.consuming(Epochs.first("orders", 1), new Signals.PartitionSignals() {

			@Override
			public void empty(Partition partition, long asOfNanos) {
				PartitionWatchIntegrationTests.this.lastCheck.set(asOfNanos);
			}

		});
		this.watch.join(PARTITION, 0);

		this.watch.notConsuming("orders");

		long late = System.nanoTime();
		await().until(() -> this.lastCheck.get() - late > 0);
	}

}
