package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.core.DefaultTypedTuple;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * More due schedules than one call reads.
 */
class RecurringPagesIntegrationTests {

	private static final String QUEUE = "digests";

	/** The arguments of EVALSHA before those of the script that advances definitions. */
	private static final int BEFORE = 19;

	private final String prefix = "pages-" + UUID.randomUUID();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@Tag("slow")
	@Test
	void oneTurnAdvancesAllSchedulesOfAClosedPartition() {
		DelayQueueEngine engine = this.engines.engine(this.prefix, RecurringPagesIntegrationTests::settings);
		Set<String> keys = IntStream.range(0, 300).mapToObj((n) -> "s-" + n).collect(Collectors.toSet());
		// The occurrences that are stored ahead keep the group in the closed partition
		keys.forEach((key) -> engine.recurring()
			.createOrReplace(RecurringSchedule.to(QUEUE, key)
				.payload("p")
				.group("g")
				.every(Duration.ofHours(1))
				.missed(MissedPolicy.ALL)));
		this.engines.start(engine.consumers().create(settings(QUEUE), (delivery) -> null, null, null));
		engine.admin().repartition(QUEUE, 2);
		await().atMost(Duration.ofMinutes(1))
			.until(() -> engine.directory().read(QUEUE).orElseThrow().text().endsWith("1:2"));

		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			double now = Instant.now().toEpochMilli();
			this.engines.template()
				.opsForZSet()
				.add(this.prefix + ":{digests:0}:recurrences",
						keys.stream()
							.map((key) -> new DefaultTypedTuple<>(key.getBytes(UTF_8), now))
							.collect(Collectors.toSet()));
			Set<String> advanced = new HashSet<>();
			await().until(() -> {
				advanced.clear();
				turns(log, keys).forEach(advanced::addAll);
				return advanced.equals(keys);
			});
			assertThat(turns(log, keys)).filteredOn((turn) -> !turn.isEmpty()).containsExactly(keys);
		}
	}

	/** The keys that each turn has advanced. */
	private List<Set<String>> turns(CommandLog log, Set<String> keys) {
		List<Set<String>> turns = new ArrayList<>(List.of(new HashSet<>()));
		log.commands()
			.stream()
			.map(CommandLog.Command::arguments)
			.filter((arguments) -> arguments.size() > BEFORE && arguments.get(1).equals("17")
					&& arguments.get(BEFORE - 2).equals(this.prefix + ":{digests:0}:recurrences"))
			.forEach((arguments) -> {
				if (arguments.get(BEFORE + 2).isEmpty()) {
					turns.add(new HashSet<>());
				}
				arguments.stream().skip(BEFORE + 5).filter(keys::contains).forEach(turns.get(turns.size() - 1)::add);
			});
		return turns;
	}

	private static QueueSettings settings(String queue) {
		return TestEngines.settings(queue, 1);
	}

}
