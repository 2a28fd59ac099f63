package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Listeners;
import io.delayqueue.journey.fixture.Listeners.Order;
import io.delayqueue.journey.fixture.OneListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Producers and workers that are connected only through Redis. Each application has its
 * own loops and connections, as in its own process.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class SeveralProcessesIntegrationTests {

	private RedisServer redis;

	private TestApplication applications;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri());
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void earlierMessageOfAnotherProcessDoesNotWaitForTheSweeperInterval() {
		// With an interval of a minute only the hint can deliver the message in time
		this.applications.with("delayqueue.sweeper.interval=1m");
		Handled handled = worker();
		DelayQueueOperations producer = this.applications.producer();
		producer.schedule("orders", new Order("far away", 1), Duration.ofDays(1));

		producer.schedule("orders", new Order("sooner", 2), Duration.ofMillis(100));

		assertThat(handled.await(1).get(0).payload()).isEqualTo(new Order("sooner", 2));
	}

	@Test
	void hintsAreReceivedAgainAfterTheirConnectionWasCut() {
		worker();
		String first = awaitSubscriberOtherThan("");

		this.redis.call("CLIENT", "KILL", "TYPE", "pubsub");

		awaitSubscriberOtherThan(first);
	}

	private String awaitSubscriberOtherThan(String gone) {
		return Awaitility.await().until(this::subscriber, (now) -> !now.isEmpty() && !now.equals(gone));
	}

	/** The subscribed connection, empty if there is none. */
	private String subscriber() {
		String clients = this.redis.client().text("CLIENT", "LIST", "TYPE", "pubsub");
		int end = clients.indexOf(' ');
		return (end > 0) ? clients.substring(0, end) : "";
	}

	@Test
	void messageOfAnotherProcessIsFoundAfterTheIntervalWithoutHints() {
		this.redis.call("ACL", "SETUSER", "default", "-publish");
		this.applications.with("delayqueue.sweeper.interval=200ms");
		Handled handled = worker();

		this.applications.producer().schedule("orders", new Order("o", 1), Duration.ofMillis(100));

		handled.await(1);
	}

	@Test
	void twoWorkersShareMessagesDueAtOneInstantAndHandleEachOnce() {
		Handled one = worker();
		Handled other = worker();
		Instant due = Instant.now().plusSeconds(2);
		List<ScheduleRequest> requests = IntStream.range(0, 1000)
			.mapToObj((i) -> ScheduleRequest.to("orders").payload(new Order("o-" + i, i)).id("o-" + i).dueAt(due))
			.toList();

		this.applications.producer().scheduleAll(requests);

		Awaitility.await().until(() -> one.runs().size() + other.runs().size() >= 1000);
		List<Handled.Run> runs = new ArrayList<>(one.runs());
		runs.addAll(other.runs());
		assertThat(runs).extracting(Handled.Run::id).hasSize(1000).doesNotHaveDuplicates();
		assertThat(runs).allSatisfy((run) -> assertThat(run.at()).isAfterOrEqualTo(due));
		assertThat(List.of(one.runs(), other.runs())).as("both work").noneMatch(Collection::isEmpty);
	}

	@Test
	void oldestDueMessageComesFirstUnderAPermanentBacklog() {
		DelayQueueOperations producer = this.applications.producer();
		Instant longAgo = Instant.now().minusSeconds(3600);
		List<ScheduleRequest> requests = IntStream.range(0, 3000)
			.mapToObj((i) -> ScheduleRequest.to("orders")
				.payload(new Order("o", i))
				.id("o-" + i)
				.dueAt(longAgo.plusMillis(3000 - i)))
			.toList();
		producer.scheduleAll(requests);
		producer.schedule(ScheduleRequest.to("orders").payload(new Order("o", 0)).id("first").dueAt(Instant.EPOCH));

		this.applications.with("delayqueue.defaults.concurrency=1");
		List<String> order = worker().await(3001).stream().map(Handled.Run::id).toList();

		assertThat(order.get(0)).isEqualTo("first");
		assertThat(order.subList(1, 3001))
			.containsExactlyElementsOf(IntStream.range(0, 3000).mapToObj((i) -> "o-" + (2999 - i)).toList());
	}

	@Test
	void stoppedWorkerRemovesItsConsumerFromTheGroup() {
		ConfigurableApplicationContext worker = this.applications.start(OneListener.class);
		worker.getBean(DelayQueueOperations.class).schedule("orders", new Order("o", 1), Duration.ZERO);
		worker.getBean(OneListener.class).handled.await(1);
		String stream = this.applications.prefix() + ":{orders:0}:ready";
		assertThat((List<?>) this.redis.call("XINFO", "CONSUMERS", stream, "consumers")).hasSize(1);

		worker.close();

		assertThat((List<?>) this.redis.call("XINFO", "CONSUMERS", stream, "consumers")).isEmpty();
	}

	@Test
	void idleWorkerSendsFewCommandsAndWritesOnlyItsMembership() {
		this.applications.start(OneListener.class);
		this.applications.producer().schedule("orders", new Order("later", 1), Duration.ofDays(1));
		try (CommandLog log = CommandLog.of(this.redis)) {
			awaitCommands(log, 3);
			log.clear();
			long before = changes();
			Instant began = Instant.now();
			awaitCommands(log, 10);
			long sent = log.commands().stream().filter((command) -> !command.name().equals("INFO")).count();
			double perSecond = sent * 1000.0 / Duration.between(began, Instant.now()).toMillis();

			assertThat(perSecond).as("commands a second of an idle worker: " + log.commands()).isLessThanOrEqualTo(2);
			assertThat(changes() - before).as("rdb_changes_since_last_save")
				.isLessThanOrEqualTo(log.commands()
					.stream()
					.filter((command) -> command.arguments().contains(Scripts.digest("refresh-member")))
					.count());
		}
	}

	private static void awaitCommands(CommandLog log, int count) {
		Awaitility.await().until(() -> log.count() >= count);
	}

	private long changes() {
		String persistence = String.valueOf(this.redis.client().text("INFO", "persistence"));
		return persistence.lines()
			.filter((line) -> line.startsWith("rdb_changes_since_last_save:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
			.findFirst()
			.orElseThrow();
	}

	private Handled worker() {
		return this.applications.start(Listeners.Configured.class).getBean(Listeners.class).handled;
	}

}
