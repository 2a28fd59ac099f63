package io.delayqueue.engine;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Partitioner;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Moves of dead letters while a partition of the dead-letter queue fails.
 */
class DeadLetterMovesIntegrationTests {

	private static final int TARGETS = 2;

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	private final String prefix = "moves-" + UUID.randomUUID();

	@Test
	void aFailingPartitionBlocksOnlyItsOwnDeadLetters() {
		DelayQueueEngine engine = this.engines.engine(this.prefix,
				(queue) -> queue.equals("orders") ? orders() : TestEngines.settings(queue, TARGETS));
		String failing = groupOf(0);
		String working = groupOf(1);
		try (RespClient redis = SharedRedis.get().client()) {
			String key = this.prefix + ":{failed:0}:scheduled";
			redis.call("SET", key, "of another program");
			List.of("a-1", "a-2").forEach((id) -> schedule(engine, id, failing));
			this.engines.start(engine.consumers().create(orders(), (delivery) -> {
				throw new IllegalStateException("refused");
			}, null, null));
			await().until(() -> dead(engine).equals(List.of("a-1", "a-2")));

			schedule(engine, "b", working);

			await().atMost(Duration.ofSeconds(30)).until(() -> engine.operations().countGroup("failed", working) == 1);
			assertThat(dead(engine)).containsExactly("a-1", "a-2");

			redis.call("DEL", key);
			await().atMost(Duration.ofSeconds(30)).until(() -> dead(engine).isEmpty());
			assertThat(engine.operations().countGroup("failed", failing)).isEqualTo(2);
		}
	}

	private static void schedule(DelayQueueEngine engine, String id, String group) {
		engine.operations()
			.schedule(ScheduleRequest.to("orders").payload("p").id(id).group(group).delay(Duration.ZERO));
	}

	private static List<String> dead(DelayQueueEngine engine) {
		return engine.admin()
			.deadLetters("orders", null, 10)
			.deadLetters()
			.stream()
			.map(DeadLetter::id)
			.sorted()
			.toList();
	}

	/** A group whose messages are in the given partition of the dead-letter queue. */
	private static String groupOf(int partition) {
		return IntStream.range(0, 100)
			.mapToObj((n) -> "g-" + n)
			.filter((group) -> Partitioner.of("", group, TARGETS) == partition)
			.findFirst()
			.orElseThrow();
	}

	private static QueueSettings orders() {
		QueueSettings plain = TestEngines.settings("orders", 1);
		return new QueueSettings(plain.name(), 1, plain.concurrency(), plain.visibilityTimeout(), Duration.ofDays(1),
				1000, Duration.ofSeconds(1), Duration.ofSeconds(1), plain.retry(), plain.groups(), ExpirySettings.NEVER,
				FlowSettings.NONE, new EndSettings(EndSettings.DEFAULT_FOR, 0, "failed"));
	}

}
