package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueStatistics.Stock;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.server.ServerInfo.Server;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.boot.health.contributor.Health;

/**
 * The inputs of the health indicator, set by the test. Initially Redis is available
 * without faults, and no activity runs.
 */
final class TestProcess implements AfterEachCallback {

	/** The tolerated duration of failures. */
	static final Duration TOLERATED = Duration.ofMinutes(1);

	/** So short that the process has been able to consume every queue for longer. */
	static final Duration MAX_OVERDUE = Duration.ofNanos(1);

	// shared and safe

	private final AtomicInteger pings = new AtomicInteger();

	private final AtomicInteger evictionChecks = new AtomicInteger();

	private final Map<String, Stock> stocks = new ConcurrentHashMap<>();

	private volatile boolean there = true;

	private volatile List<Server> servers = List.of(server("noeviction", 0));

	private volatile List<String> faults = List.of();

	private volatile Map<Partition, String> foreignLayouts = Map.of();

	// immutable

	private final Signals signals = new Signals();

	private final List<TaskStatus> activities = new CopyOnWriteArrayList<>();

	private final RedisGate gate = new RedisGate(new TaskPool(), () -> this.there);

	private final DelayQueueHealthIndicator indicator = indicator(TOLERATED);

	/** Health with the default tolerance. */
	Health health() {
		return this.indicator.health();
	}

	DelayQueueHealthIndicator indicator(Duration tolerated) {
		return indicator(new HealthSettings(MAX_OVERDUE, tolerated, true));
	}

	DelayQueueHealthIndicator indicator(HealthSettings settings) {
		RedisPresence presence = new RedisPresence(this.gate, () -> {
			this.pings.incrementAndGet();
			return this.there;
		}, () -> this.faults, () -> this.foreignLayouts);
		ConsumedQueues queues = new ConsumedQueues(this.signals, this.gate, List::of, this.stocks::get,
				(queue) -> null);
		EvictionWatch eviction = new EvictionWatch(() -> {
			this.evictionChecks.incrementAndGet();
			return this.servers;
		}, this.gate, Duration.ZERO);
		return new DelayQueueHealthIndicator(settings, () -> this.activities, presence, queues, eviction);
	}

	void activity(String name, Duration failingFor, @Nullable Throwable failure) {
		this.activities.add(new TaskStatus(name, (failure != null) ? 7 : 0, failingFor, failure));
	}

	/** Consumes a queue, with counts unless these are {@code null}. */
	void consume(String queue, @Nullable Stock stock) {
		this.signals.consuming(Epochs.first(queue, 1), new Signals.PartitionSignals() {
		});
		if (stock != null) {
			stock(queue, stock);
		}
	}

	void notConsuming(String queue) {
		this.signals.notConsuming(queue, this.signals.consumer(queue));
	}

	void stock(String queue, Stock stock) {
		this.stocks.put(queue, stock);
	}

	/** Sets whether Redis answers, without a change of the gate. */
	void redisIsThere(boolean now) {
		this.there = now;
	}

	/** Redis does not answer, and the gate is closed. */
	void redisIsLost() {
		this.there = false;
		this.gate.lost(new IllegalStateException("away"));
	}

	boolean isGateOpen() {
		return this.gate.isOpen();
	}

	void faults(String... faults) {
		this.faults = List.of(faults);
	}

	void foreignLayouts(Map<Partition, String> layouts) {
		this.foreignLayouts = layouts;
	}

	void servers(Server... servers) {
		this.servers = List.of(servers);
	}

	static Server server(String policy, long maxMemory) {
		return new Server(null, "redis", "7.0.15", "master", Duration.ZERO, maxMemory, policy, true, null);
	}

	/** The number of PINGs that health has sent. */
	int pings() {
		return this.pings.get();
	}

	/** The number of times that health has read the settings of the servers. */
	int evictionChecks() {
		return this.evictionChecks.get();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.gate.close();
	}

}
