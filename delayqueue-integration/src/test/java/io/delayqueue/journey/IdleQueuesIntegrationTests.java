package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Listeners;
import io.delayqueue.journey.fixture.OneListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.CommandLog.Command;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Idle queues are checked together, and new messages are noticed without a hint. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class IdleQueuesIntegrationTests {

	private static final String PEEK = Scripts.digest("peek-partitions");

	/** The number of queues: more than one call of the script checks. */
	private static final int PARTITIONS = 120;

	private RedisServer redis;

	private TestApplication applications;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.sweeper.interval=100ms")
			.with("delayqueue.defaults.partitions=" + PARTITIONS);
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void manyPartitionsAreCheckedInOneCall() {
		this.applications.start(OneListener.class);
		try (CommandLog log = CommandLog.of(this.redis)) {
			awaitIdle(log);
			log.clear();

			Awaitility.await().until(() -> peeks(log) >= 100);

			// Each partition by itself would have sent 50 calls
			assertThat(log.count() - peeks(log)).isLessThan(5 * PARTITIONS);
			assertThat(log.commands()
				.stream()
				.filter(IdleQueuesIntegrationTests::isPeek)
				.map((peek) -> peek.arguments().size() - 2)).as("keys").contains(500, 100);
		}
	}

	@Test
	void messageScheduledWithoutAHintIsHandledByAnIdleProcess() {
		this.redis.call("ACL", "SETUSER", "default", "-publish");
		Handled handled = this.applications.start(OneListener.class).getBean(OneListener.class).handled;
		DelayQueueOperations producer = this.applications.producer();
		try (CommandLog log = CommandLog.of(this.redis)) {
			awaitIdle(log);
		}

		IntStream.range(0, 20)
			.forEach((i) -> producer.schedule("orders", new Listeners.Order("o-" + i, i),
					Duration.ofMillis(1 + 20L * i)));

		assertThat(handled.await(20)).extracting(Handled.Run::id).doesNotHaveDuplicates();
	}

	@Test
	void pauseByAnotherProcessIsNoticedByAnIdleProcess() {
		this.redis.call("ACL", "SETUSER", "default", "-publish");
		Handled handled = this.applications.start(OneListener.class).getBean(OneListener.class).handled;
		DelayQueueAdmin admin = this.applications.start().getBean(DelayQueueAdmin.class);
		DelayQueueOperations producer = this.applications.producer();
		try (CommandLog log = CommandLog.of(this.redis)) {
			awaitIdle(log);
		}

		admin.pause("orders");
		producer.schedule("orders", new Listeners.Order("o", 1), Duration.ofMillis(1));
		admin.resume("orders");

		handled.await(1);
	}

	private static void awaitIdle(CommandLog log) {
		Awaitility.await().until(() -> {
			List<Command> commands = log.commands();
			log.clear();
			return commands.stream().filter(IdleQueuesIntegrationTests::isPeek).count() > 0 && commands.size() < 10;
		});
	}

	private static long peeks(CommandLog log) {
		return log.commands().stream().filter(IdleQueuesIntegrationTests::isPeek).count();
	}

	private static boolean isPeek(Command command) {
		return command.name().equalsIgnoreCase("evalsha") && command.arguments().get(0).equals(PEEK);
	}

}
