package io.delayqueue.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.CommandLog.Command;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The calls to Redis with which a process uses many queues for the first time.
 */
@Tag("slow")
class FirstUseIntegrationTests {

	private static final int QUEUES = 600;

	/** One call registers 500 queues. */
	private static final long REGISTRATIONS = 2;

	private static final List<String> SCRIPTS = List.of("find-epochs", "register", "schedule-new", "schedule",
			"refresh-member");

	/** Of hints, before which the list of members is read. */
	private static final List<String> IN_THE_BACKGROUND = List.of("PUBLISH", "refresh-member");

	private final String prefix = "first-" + UUID.randomUUID();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@Test
	void manyQueuesAreRegisteredWithAFewCalls() {
		scheduleToAll(engine("warm-" + this.prefix));
		DelayQueueEngine engine = engine(this.prefix);
		Map<String, Long> calls;
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			assertThat(scheduleToAll(engine)).allMatch(ScheduleAnswer::isAccepted);
			calls = calls(log);
		}

		// Before their first messages are stored and, as Redis had none, after that
		assertThat(calls.remove("find-epochs")).isEqualTo(2 * REGISTRATIONS);
		assertThat(calls.remove("HMGET")).isEqualTo(2 * 2 * REGISTRATIONS);
		assertThat(calls.remove("register")).isEqualTo(REGISTRATIONS);
		assertThat(calls).containsOnly(Map.entry("schedule-new", (long) QUEUES));
		assertThat(engine.directory().all()).hasSize(QUEUES);

		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			assertThat(scheduleToAll(engine)).allMatch(ScheduleAnswer::isAccepted);
			assertThat(calls(log)).containsOnly(Map.entry("schedule-new", (long) QUEUES));
		}
	}

	@Test
	void aQueueThatCannotBeRegisteredConcernsOnlyItsMessages() {
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("HSET", this.prefix + ":queues", "queue-3", "many");
		}

		List<ScheduleAnswer> answers = scheduleToAll(engine(this.prefix));

		assertThat(answers.get(3).failure()).isInstanceOf(RedisRefusedException.class);
		assertThat(answers).filteredOn(ScheduleAnswer::isAccepted).hasSize(QUEUES - 1);
	}

	@Test
	void inAClusterOneCallForEachMasterReadsWhatIsStored() {
		try (RedisCluster cluster = RedisCluster.builder().replicas(0).start()) {
			JedisConnectionFactory connections = new JedisConnectionFactory(
					new RedisClusterConfiguration(cluster.addresses()));
			connections.afterPropertiesSet();
			connections.start();
			DelayQueueRedisTemplate template = new DelayQueueRedisTemplate(connections);
			template.afterPropertiesSet();
			template.start();
			DelayQueueEngine engine = DelayQueueEngine.builder(template, (queue) -> TestEngines.settings(queue, 1))
				.keyPrefix(this.prefix)
				.build();
			await().until(() -> !engine.calls().server(new Partition("queue-0", 0)).isEmpty());
			List<CommandLog> logs = cluster.nodes().stream().map(CommandLog::of).toList();

			assertThat(scheduleToAll(engine)).allMatch(ScheduleAnswer::isAccepted);

			assertThat(logs).allSatisfy((log) -> {
				Map<String, Long> calls = calls(log);
				assertThat(calls.get("schedule-new")).isBetween(100L, 300L);
				// The script is sent as text once; another thread registers the queues
				// again
				assertThat(calls.get("find-epochs")).isBetween(REGISTRATIONS, 1 + 2 * REGISTRATIONS);
			});
			assertThat(engine.directory().all()).hasSize(QUEUES);
			logs.forEach(CommandLog::close);
			engine.close();
			template.destroy();
			connections.destroy();
		}
	}

	private DelayQueueEngine engine(String keyPrefix) {
		return this.engines.engine(keyPrefix, (queue) -> TestEngines.settings(queue, 1));
	}

	private static List<ScheduleAnswer> scheduleToAll(DelayQueueEngine engine) {
		return engine.operations()
			.scheduleAll(IntStream.range(0, QUEUES)
				.mapToObj((n) -> ScheduleRequest.to("queue-" + n).payload("p").delay(Duration.ofHours(1)))
				.toList());
	}

	/** Counts the calls of the caller that concern the queues, by script or command. */
	private Map<String, Long> calls(CommandLog log) {
		Map<String, String> scripts = new HashMap<>();
		SCRIPTS.forEach((name) -> Stream.of(Scripts.digest(name), Scripts.text(name))
			.forEach((text) -> scripts.put(text, name)));
		return log.commands()
			.stream()
			.filter((command) -> command.arguments().stream().anyMatch((word) -> word.startsWith(this.prefix)))
			.map((command) -> name(command, scripts))
			.filter((name) -> !IN_THE_BACKGROUND.contains(name))
			.collect(Collectors.groupingBy((name) -> name, HashMap::new, Collectors.counting()));
	}

	private static String name(Command command, Map<String, String> scripts) {
		return command.name().startsWith("EVAL") ? scripts.getOrDefault(command.arguments().get(0), "of another script")
				: command.name();
	}

}
