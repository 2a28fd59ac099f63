package io.delayqueue.maintain;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.GroupLimit;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.StoredId;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a partition is audited, and when it is repaired. The command statistics of Redis
 * show audits and repairs: an audit and a page of a pass read the groups, and a pass
 * begins with samples.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class MaintainerIntegrationTests {

	private static final String AUDIT_OR_PAGE = "xinfo|groups";

	private static final String PASS = "hrandfield";

	private static final String JANITOR = "xinfo|consumers";

	private static final Partition ORDERS = new Partition("orders", 0);

	private final Map<Damage, Integer> repaired = new ConcurrentHashMap<>();

	private Signals signals;

	private TaskPool tasks = new TaskPool();

	private final RedisGate gate = new RedisGate(this.tasks, null);

	private RedisServer redis;

	private TestApplication applications;

	private ConfigurableApplicationContext application;

	private Maintainer maintainer;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri());
		this.application = this.applications.start();
		maintainEvery(Duration.ofDays(1));
		schedule("later", Duration.ofDays(1));
	}

	@AfterEach
	void stop() {
		this.tasks.close();
		this.applications.close();
		this.redis.close();
	}

	private void maintainEvery(Duration interval) {
		QueueObserver observer = new QueueObserver() {

			@Override
			public void repaired(String queue, Damage damage, List<StoredId> ids) {
				MaintainerIntegrationTests.this.repaired.merge(damage, ids.size(), Integer::sum);
			}

		};
		this.signals = new Signals();
		this.maintainer = maintainer(new MaintenanceSettings(interval, Duration.ofMillis(50)), this.signals, this.gate,
				observer);
	}

	private Maintainer maintainer(MaintenanceSettings settings, Signals signals, RedisGate gate,
			QueueObserver observer) {
		RedisCalls calls = this.application.getBean(DelayQueueEngine.class).calls();
		Fleet fleet = new Fleet(true, new Members(calls), new QueueDirectory(calls), new HintChannel(calls), signals,
				gate, this.tasks);
		return new Maintainer(settings, calls, new QueueDirectory(calls), signals, fleet,
				new Wakeups(signals, new HintChannel(calls), fleet, this.tasks), gate, this.tasks, observer);
	}

	@Test
	void partitionIsMaintainedOnlyWhileConsumerRuns() {
		assertThat(this.tasks.statuses()).isEmpty();
		this.signals.consuming(Epochs.first("orders", 1), new Signals.PartitionSignals() {
		});
		assertThat(this.tasks.statuses()).hasSize(1);
		await().until(() -> calls(AUDIT_OR_PAGE) > 3);

		this.signals.notConsuming("orders", this.signals.consumer("orders"));

		assertThat(this.tasks.statuses()).isEmpty();
		// A running turn may end, but no further turn follows, although another queue has
		// many turns
		try (CommandLog log = CommandLog.of(this.redis)) {
			this.signals.consuming(Epochs.first("other", 1), new Signals.PartitionSignals() {
			});
			await().until(() -> queues(log).lastIndexOf("other") >= 20);
			assertThat(queues(log)).endsWith(Collections.nCopies(15, "other").toArray(String[]::new));
		}
	}

	@Test
	void fullTokenBucketsAreRemovedAlsoWithoutARate() {
		String rates = this.applications.prefix() + ":{orders:0}:rates";
		for (int n = 0; n < 1200; n++) {
			this.redis.call("ZADD", rates, Long.toString(1_000_000 + n), "full-" + n);
		}
		this.redis.call("ZADD", rates, "9e15", "filling");

		this.signals.consuming(Epochs.first("orders", 1), new Signals.PartitionSignals() {
		});

		await().until(() -> List.of("filling").equals(this.redis.call("ZRANGE", rates, "0", "-1")));
	}

	/** The queue of each script that was run, in order. */
	private static List<String> queues(CommandLog log) {
		return log.commands()
			.stream()
			.map((command) -> String.join(" ", command.arguments()))
			.filter((arguments) -> arguments.contains(":{"))
			.map((arguments) -> arguments.replaceAll("(?s).*?:\\{(\\w+):.*", "$1"))
			.toList();
	}

	@Test
	void onlyAuditsFollowTheFirstPass() {
		consume();
		await().until(() -> calls(AUDIT_OR_PAGE) > 20);

		assertThat(calls(PASS)).isEqualTo(1);
		assertThat(calls(JANITOR)).isZero();
		assertThat(this.repaired).isEmpty();
	}

	@Test
	void passRunsOncePerInterval() {
		this.tasks.close();
		this.tasks = new TaskPool();
		maintainEvery(Duration.ofMillis(200));
		consume();

		await().until(() -> calls(PASS) > 5);
	}

	@Test
	void mismatchInTwoAuditsIsRepairedAtOnce() {
		consume();
		await().until(() -> calls(PASS) == 1);
		this.redis.call("DEL", key("scheduled"));

		await().until(() -> this.repaired.containsKey(Damage.NO_PLACE));

		assertThat(this.repaired).containsOnly(Map.entry(Damage.NO_PLACE, 1));
		assertThat(this.redis.call("ZCARD", key("scheduled"))).isEqualTo(1L);
		assertThat(calls(PASS)).isEqualTo(2);
	}

	@Test
	void mismatchThatRepairLeavesIsNotRepairedAgain() {
		schedule("pending", Duration.ZERO);
		take("holder");
		this.redis.call("ZADD", key("scheduled"), "1", "pending");
		consume();
		await().until(() -> calls(PASS) >= 2);
		long audits = calls(AUDIT_OR_PAGE);
		await().until(() -> calls(AUDIT_OR_PAGE) > audits + 50);

		assertThat(calls(PASS)).isEqualTo(2);
		assertThat(this.repaired).isEmpty();
	}

	@Test
	void janitorRunsWithSeveralConsumersAndKeepsThoseThatAreNotDead() {
		schedule("pending", Duration.ZERO);
		take("holder");
		this.redis.call("XGROUP", "CREATECONSUMER", key("ready"), "consumers", "idle");
		consume();

		await().until(() -> calls(JANITOR) >= 1);

		assertThat((List<?>) this.redis.call("XINFO", "CONSUMERS", key("ready"), "consumers")).hasSize(2);
	}

	@Test
	void passRunsSoonAfterRedisAnswersAgain() {
		RedisGate closing = new RedisGate(this.tasks, () -> true);
		Maintainer other = maintainer(new MaintenanceSettings(Duration.ofDays(1), Duration.ofMillis(50)), new Signals(),
				closing, QueueObserver.NONE);
		try (closing) {
			other.consuming(Epochs.first("orders", 1));
			await().until(() -> calls(PASS) == 1);

			closing.lost(new IllegalStateException("cut"));

			await().until(() -> calls(PASS) == 2);
		}
	}

	private void consume() {
		this.signals.consuming(Epochs.first("orders", 1), new Signals.PartitionSignals() {
		});
	}

	private void schedule(String id, Duration delay) {
		this.application.getBean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id(id).delay(delay));
	}

	private void take(String consumer) {
		ReadyMessages ready = new ReadyMessages(this.application.getBean(DelayQueueEngine.class).calls());
		new DueMessages(this.application.getBean(DelayQueueEngine.class).calls()).sweep(ORDERS,
				new SweepLimits(10, 10, GroupLimit.NONE, Map.of()), "", "none", 0);
		assertThat(ready.read(ORDERS, consumer, 10).entries()).hasSize(1);
	}

	private long calls(String command) {
		return String.valueOf(this.redis.client().text("INFO", "commandstats"))
			.lines()
			.filter((line) -> line.startsWith("cmdstat_" + command + ":"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
			.sum();
	}

	private String key(String name) {
		return this.applications.prefix() + ":{orders:0}:" + name;
	}

	private static ConditionFactory await() {
		return Awaitility.await();
	}

}
