package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueStock.Stock;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ServerInfo.Server;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

class DelayQueueHealthIndicatorTests {

	private static final Duration TOLERATED = Duration.ofMinutes(1);

	/** So short that whatever is overdue has been workable for longer. */
	private static final Duration MAX_OVERDUE = Duration.ofNanos(1);

	private static final String STANDSTILL = ": no queue of this process moves until it does; is it running, and is"
			+ " spring.data.redis.* its address?";

	private static final Duration TOO_LONG = Duration.ofSeconds(61);

	private final AtomicBoolean there = new AtomicBoolean(true);

	private final AtomicInteger asked = new AtomicInteger();

	private final AtomicInteger looked = new AtomicInteger();

	private final AtomicReference<List<Server>> servers = new AtomicReference<>(List.of(server("noeviction", 0)));

	private final AtomicReference<List<String>> faults = new AtomicReference<>(List.of());

	private Map<Partition, String> foreignLayouts = Map.of();

	private final Map<String, Stock> stocks = new ConcurrentHashMap<>();

	private final Signals signals = new Signals();

	private final LoopRegistry activities = new LoopRegistry();

	private final RedisGate gate = new RedisGate(this.there::get);

	private final DelayQueueHealthIndicator indicator = indicator(TOLERATED);

	@AfterEach
	void closeGate() {
		this.gate.close();
	}

	@Test
	void itIsUpWhileAllActivitiesGoOn() {
		activity("read orders", true, Duration.ZERO, null);
		activity("settle orders", true, Duration.ZERO, null);

		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsExactly(entry("queues", Map.of()), entry("eviction", "noeviction"));
	}

	@Test
	void aRedisThatCannotBeUsedIsToldUntilItIsMended() {
		this.faults.set(List.of("The Redis user lacks the right to run [xadd]. Grant it."));

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(health().getDetails()).containsEntry("faults",
				List.of("The Redis user lacks the right to run [xadd]. Grant it."));
		this.faults.set(List.of());
		assertThat(health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aPartitionThatIsLeftToAnotherVersionIsToldWhereItShouldBeWorkedOn() {
		this.foreignLayouts = Map.of(new Partition("orders", 3), "LAYOUT 2 is stored, 1 is known");
		assertThat(health().getStatus()).as("of a process that only schedules").isEqualTo(Status.UP);

		consume("orders", null);

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(health().getDetails().get("layouts"))
			.isEqualTo(Map.of("orders:3", "left alone, as another version of this library has laid out its keys"
					+ " (LAYOUT 2 is stored, 1 is known); stop this process once those of the other version run"));
		this.foreignLayouts = Map.of();
		assertThat(health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void whatFailsNoLongerThanToleratedIsNotTold() {
		activity("read orders", true, TOLERATED, new IllegalStateException("no"));

		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsOnlyKeys("queues", "eviction");
	}

	@Test
	void whatFailsForLongerIsNamedWithItsReason() {
		activity("read orders", true, TOO_LONG, new IllegalStateException("no right to read"));
		activity("read pushes", true, Duration.ZERO, null);

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(failing()).containsExactly(entry("read orders",
				"failed 7 times in the last 61 s and goes on trying: IllegalStateException: no right to read"));
	}

	@Test
	void anActivityThatEndedByItselfIsNamed() {
		activity("read orders", false, Duration.ZERO, null);

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(failing()).containsExactly(entry("read orders",
				"ended without being stopped: its queue stands still in this process; restart it"));
	}

	@Test
	void aReasonIsOneShortLineWithoutSecrets() {
		activity("a", true, TOO_LONG, new IllegalStateException("redis://app:pass@word@host:6379/0 is away\n\tat x"));
		activity("b", true, TOO_LONG, new IllegalStateException("x".repeat(1000)));
		activity("c", true, TOO_LONG, new IllegalStateException());

		assertThat(failing().get("a")).endsWith("IllegalStateException: redis://***@host:6379/0 is away");
		assertThat(failing().get("b")).hasSizeLessThan(600).endsWith("...");
		assertThat(failing().get("c")).endsWith(": IllegalStateException");
		assertThat(health().getDetails().toString()).doesNotContain("word");
	}

	@Test
	void whereNobodyCallsRedisHealthAsksItself() {
		assertThat(health().getStatus()).isEqualTo(Status.UP);
		this.there.set(false);
		assertThat(health().getStatus()).as("it was there a moment ago").isEqualTo(Status.UP);

		DelayQueueHealthIndicator impatient = indicator(Duration.ZERO);
		this.there.set(true);
		assertThat(impatient.health().getStatus()).isEqualTo(Status.UP);
		this.there.set(false);
		Health health = impatient.health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("redis", "has not answered for 0 s" + STANDSTILL);
	}

	@Test
	void aRedisThatWasNeverThereIsToldAtOnce() {
		this.there.set(false);

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(health().getDetails()).containsEntry("redis", "has not answered since the start" + STANDSTILL);
		activity("read orders", true, Duration.ZERO, null);
		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		this.there.set(true);
		assertThat(health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void whereActivitiesCallRedisItIsNotAskedAndTheGateKeepsTheTime() {
		activity("read orders", true, Duration.ZERO, null);
		DelayQueueHealthIndicator impatient = indicator(Duration.ofMillis(20));
		assertThat(impatient.health().getStatus()).isEqualTo(Status.UP);
		int once = this.asked.get();
		this.there.set(false);
		assertThat(impatient.health().getStatus()).as("nobody has noticed").isEqualTo(Status.UP);
		this.gate.lost(new IllegalStateException("away"));
		await().until(() -> impatient.health().getStatus().equals(Status.DOWN));
		assertThat(impatient.health().getDetails()).containsKey("redis");
		assertThat(this.asked).hasValue(once);
		this.there.set(true);
		await().until(() -> impatient.health().getStatus().equals(Status.UP));
	}

	@Test
	void aQueueWhoseOverdueMessagesWaitTooLongIsNamedWithTheCause() {
		consume("orders", stock(Duration.ofSeconds(312), 990, false));
		consume("unswept", new Stock(5, 0, 5, 0, 0, 0, Duration.ofSeconds(400), Duration.ZERO, Duration.ZERO));
		consume("fine", new Stock(5, 0, 0, 3, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO));

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(late()).containsOnlyKeys("orders", "unswept");
		assertThat(late().get("orders"))
			.startsWith("its oldest message that no handler has had has been due for 312 s, longer than")
			.contains("delayqueue.health.max-overdue", "handlers do not keep up with the 1000 before it",
					"concurrency");
		assertThat(late().get("unswept")).contains("400 s", "nobody sweeps", "delayqueue.sweeper.enabled");
		assertThat(health().getDetails().get("queues").toString()).contains("orders={listener=running, scheduled=1000,"
				+ " overdue=900, ready=990, pending=10, dead=0, oldestOverdueMillis=312000}");
	}

	@Test
	void aThresholdOfZeroIsNone() {
		consume("orders", stock(Duration.ofDays(3), 0, false));

		assertThat(indicator(new HealthSettings(Duration.ZERO, TOLERATED, true)).health().getStatus())
			.isEqualTo(Status.UP);
	}

	@Test
	void onlyTheTimeCountsInWhichTheQueueCouldBeWorkedOn() {
		consume("orders", stock(Duration.ofDays(3), 990, false));
		DelayQueueHealthIndicator patient = indicator(new HealthSettings(Duration.ofMinutes(5), TOLERATED, true));
		assertThat(patient.health().getStatus()).as("it began a moment ago").isEqualTo(Status.UP);

		DelayQueueHealthIndicator quick = indicator(new HealthSettings(Duration.ofSeconds(1), TOLERATED, true));
		await().until(() -> quick.health().getStatus().equals(Status.DOWN));
		this.stocks.put("orders", stock(Duration.ofDays(3), 990, true));
		assertThat(quick.health().getStatus()).as("a paused queue").isEqualTo(Status.UP);
		assertThat(quick.health().getDetails().get("queues").toString()).contains("paused=true");
		this.stocks.put("orders", stock(Duration.ofDays(3), 990, false));
		assertThat(quick.health().getStatus()).as("the pause has just ended").isEqualTo(Status.UP);
		await().until(() -> quick.health().getStatus().equals(Status.DOWN));
	}

	@Test
	void whatRedisWasAwayForDoesNotCount() {
		consume("orders", stock(Duration.ofDays(3), 990, false));
		activity("read orders", true, Duration.ZERO, null);
		DelayQueueHealthIndicator quick = indicator(new HealthSettings(Duration.ofSeconds(1), TOLERATED, true));
		await().until(() -> quick.health().getStatus().equals(Status.DOWN));

		this.there.set(false);
		this.gate.lost(new IllegalStateException("away"));
		assertThat(quick.health().getStatus()).as("nobody can work on it now").isEqualTo(Status.UP);
		this.there.set(true);
		await().until(this.gate::isOpen);
		assertThat(quick.health().getStatus()).as("nobody could until now").isEqualTo(Status.UP);
		await().until(() -> quick.health().getStatus().equals(Status.DOWN));
	}

	@Test
	void aQueueOfWhichNothingIsKnownIsNotBlamed() {
		consume("orders", null);

		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsEntry("queues",
				Map.of("orders", Map.of("listener", "running", "holds", "unknown")));
	}

	@Test
	void aQueueThatIsNotConsumedAnyMoreIsNotTold() {
		consume("orders", stock(Duration.ofDays(3), 990, false));
		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		this.signals.notConsuming("orders");

		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsEntry("queues", Map.of());
	}

	@Test
	void aPolicyThatTakesMessagesIsToldWithTheNodeAndTheFix() {
		this.servers.set(List.of(server("noeviction", 5), new Server("host:7001", "redis", "7.0.15", "master",
				Duration.ZERO, 104_857_600, "allkeys-lru", true, null)));

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(health().getDetails().get("eviction")).isEqualTo(
				"node host:7001 has maxmemory-policy allkeys-lru and maxmemory 104857600, so messages may be thrown away"
						+ " when memory is full: set maxmemory-policy to noeviction, or give the queues a Redis of"
						+ " their own");
		Health unchecked = indicator(new HealthSettings(MAX_OVERDUE, TOLERATED, false)).health();
		assertThat(unchecked.getStatus()).isEqualTo(Status.UP);
		assertThat(unchecked.getDetails().get("eviction").toString()).contains("allkeys-lru");
	}

	@Test
	void aPolicyThatTakesNoMessagesIsToldAndNoHarm() {
		this.servers.set(List.of(server("volatile-lru", 5), server("noeviction", 5), server("volatile-lru", 7)));
		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsEntry("eviction", "volatile-lru; noeviction");

		this.servers.set(List.of(server("allkeys-lfu", 0)));
		assertThat(health().getStatus()).as("without a limit nothing is taken").isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsEntry("eviction",
				"allkeys-lfu, which takes messages as soon as maxmemory is set; now it is 0");
	}

	@Test
	void aPolicyThatIsNotToldIsUnknown() {
		this.servers.set(List.of(server("", -1)));

		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsEntry("eviction", "unknown");
	}

	@Test
	void whileRedisIsAwayNobodyLooksAtThePolicy() {
		activity("read orders", true, Duration.ZERO, null);
		assertThat(health().getDetails()).containsEntry("eviction", "noeviction");
		int before = this.looked.get();
		this.there.set(false);
		this.gate.lost(new IllegalStateException("away"));

		assertThat(health().getDetails()).as("what was known").containsEntry("eviction", "noeviction");
		assertThat(this.looked).hasValue(before);
	}

	private void consume(String queue, @Nullable Stock stock) {
		this.signals.consuming(queue, 1, 10, (partition) -> {
		});
		if (stock != null) {
			this.stocks.put(queue, stock);
		}
	}

	@SuppressWarnings("unchecked")
	private Map<String, String> late() {
		return (Map<String, String>) health().getDetails().get("late");
	}

	private DelayQueueHealthIndicator indicator(Duration tolerated) {
		return indicator(new HealthSettings(MAX_OVERDUE, tolerated, true));
	}

	private DelayQueueHealthIndicator indicator(HealthSettings settings) {
		RedisPresence presence = new RedisPresence(this.gate, () -> {
			this.asked.incrementAndGet();
			return this.there.get();
		}, this.faults::get, () -> this.foreignLayouts);
		ConsumedQueues queues = new ConsumedQueues(this.signals, this.gate, List::of, this.stocks::get);
		EvictionWatch eviction = new EvictionWatch(() -> {
			this.looked.incrementAndGet();
			return this.servers.get();
		}, this.gate, Duration.ZERO);
		return new DelayQueueHealthIndicator(settings, this.activities, this.gate, presence, queues, eviction);
	}

	private static Server server(String policy, long maxMemory) {
		return new Server(null, "redis", "7.0.15", "master", Duration.ZERO, maxMemory, policy, true, null);
	}

	private static Stock stock(Duration overdueAge, long ready, boolean paused) {
		return new Stock(1000, 0, 900, ready, 10, 0, overdueAge, paused ? Duration.ofSeconds(1) : Duration.ZERO,
				Duration.ZERO);
	}

	private void activity(String name, boolean alive, Duration failingFor, @Nullable Throwable failure) {
		LoopStatus status = new LoopStatus(name, alive, (failure != null) ? 7 : 0, failingFor, failure);
		this.activities.add(status, () -> status);
	}

	private Health health() {
		return this.indicator.health();
	}

	@SuppressWarnings("unchecked")
	private Map<String, String> failing() {
		return (Map<String, String>) health().getDetails().get("failing");
	}

}
