package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.OverlapPolicy;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Recurring schedules whose last instant has passed.
 */
@Tag("slow")
class EndedSchedulesIntegrationTests {

	private static final String QUEUE = "digests";

	private final String prefix = "ended-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	private DelayQueueEngine engine;

	@BeforeEach
	void connect() {
		this.engine = engine();
	}

	@ParameterizedTest
	@EnumSource
	void aScheduleIsRemovedWhenItsLastInstantHasCome(OverlapPolicy overlap) {
		Instant first = Instant.ofEpochSecond(Instant.now().getEpochSecond() + 3);
		consume(this.engine);
		this.engine.recurring()
			.createOrReplace(everySecond("a").overlap(overlap).from(first).until(first.plusMillis(1500)));
		assertThat(keys()).containsExactly("a");

		await().until(() -> keys().isEmpty() && this.handled.size() >= 2);

		assertThat(this.handled).containsExactly("a@" + first, "a@" + first.plusSeconds(1));
		assertThat(this.engine.recurring().delete(QUEUE, "a")).isFalse();
		assertThat(this.engines.template().keys(this.prefix + ":{digests:*}:recur*")).isEmpty();
	}

	@Test
	void aScheduleThatIsPausedAtItsEndIsRemovedByItsResumption() {
		Instant end = Instant.now().plusSeconds(2);
		this.engine.recurring().createOrReplace(everySecond("a").until(end));
		this.engine.recurring().pause(QUEUE, "a");
		consume(this.engine);
		await().until(() -> Instant.now().isAfter(end.plusSeconds(1)));
		assertThat(this.engine.recurring().get(QUEUE, "a").orElseThrow().pausedSince()).isPresent();

		assertThat(this.engine.recurring().resume(QUEUE, "a")).isTrue();

		assertThat(keys()).isEmpty();
		assertThat(this.handled).isEmpty();
		assertThat(this.engine.recurring().resume(QUEUE, "a")).isFalse();
	}

	@Test
	void aDeclaredScheduleThatHasEndedIsTriedOnce() {
		RecurringSchedule ended = everySecond("ended").until(Instant.parse("2020-01-01T00:00:00Z"));
		consume(this.engine);
		this.engine.declaredSchedules().declare("app", () -> List.of(ended, everySecond("a")));
		await().until(() -> keys().equals(Set.of("a")));

		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			// The new member causes all members to read the declarations again
			DelayQueueEngine second = engine();
			consume(second);
			second.declaredSchedules().declare("app", () -> List.of(everySecond("b")));
			await().until(() -> keys().equals(Set.of("a", "b")));
			second.declaredSchedules().storeNow();
			await().until(() -> declarationsRead(log) >= 4);
			assertThat(log.commands()).filteredOn((command) -> command.arguments().contains("ended")).isEmpty();
		}
		assertThat(keys()).isEqualTo(Set.of("a", "b"));
	}

	private static long declarationsRead(CommandLog log) {
		return log.commands()
			.stream()
			.filter((command) -> command.name().equalsIgnoreCase("HGETALL"))
			.filter((command) -> command.arguments().toString().contains(":declarations"))
			.count();
	}

	private static RecurringSchedule everySecond(String key) {
		return RecurringSchedule.to(QUEUE, key).payload("p").every(Duration.ofSeconds(1));
	}

	private Set<String> keys() {
		return Set.copyOf(this.engine.recurring()
			.list(QUEUE, null, 10)
			.schedules()
			.stream()
			.map(RecurringSnapshot::key)
			.toList());
	}

	private void consume(DelayQueueEngine engine) {
		this.engines.start(engine.consumers().create(settings(QUEUE), (delivery) -> {
			this.handled.add(delivery.id());
			return null;
		}, null, null));
	}

	private DelayQueueEngine engine() {
		return this.engines.engine(this.prefix, EndedSchedulesIntegrationTests::settings,
				(builder) -> builder.intervals(TestEngines.SHORT));
	}

	private static QueueSettings settings(String queue) {
		return TestEngines.settings(queue, 1);
	}

}
