package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.NewDefinition;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Older;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.engine.RecurringQueue.QUEUE;
import static io.delayqueue.engine.RecurringQueue.create;
import static io.delayqueue.engine.RecurringQueue.daily;
import static io.delayqueue.engine.RecurringQueue.epochs;
import static io.delayqueue.engine.RecurringQueue.everySecond;
import static io.delayqueue.engine.RecurringQueue.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Recurring schedules of a queue whose partition count changes, and definitions of one
 * key in several partitions.
 */
@Tag("slow")
class RepartitionedRecurringIntegrationTests {

	@RegisterExtension
	final RecurringQueue queue = new RecurringQueue();

	@Test
	void definitionsMoveToTheNewPartitionsAndNoInstantIsLostOrDoubled() {
		DelayQueueEngine engine = this.queue.engine(1);
		this.queue.consume(engine, 1);
		create(engine, everySecond("a"));
		create(engine, everySecond("g").group("g"));
		create(engine, everySecond("s").overlap(OverlapPolicy.SKIP));
		create(engine, daily("paused"));
		engine.recurring().pause(QUEUE, "paused");
		await().until(() -> this.queue.handledOf("a").size() >= 2 && this.queue.handledOf("g").size() >= 2);

		engine.admin().repartition(QUEUE, 4);

		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:4"));
		int before = this.queue.handledOf("a").size();
		await().until(() -> this.queue.handledOf("a").size() >= before + 3);
		assertThat(this.queue.count("recurring", 1)).isZero();
		assertThat(engine.recurring().list(QUEUE, null, 10).schedules()).extracting(RecurringSnapshot::key)
			.containsExactlyInAnyOrder("a", "g", "s", "paused");
		assertThat(get(engine, "paused").pausedSince()).isPresent();
		List.of("a", "g").forEach((key) -> {
			List<Instant> instants = this.queue.handledOf(key).stream().sorted().toList();
			Instant first = instants.get(0);
			assertThat(instants)
				.isEqualTo(IntStream.range(0, instants.size()).mapToObj((n) -> first.plusSeconds(n)).toList());
		});
		assertThat(this.queue.handledOf("s")).doesNotHaveDuplicates();
		assertThat(engine.recurring().delete(QUEUE, "a")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "replace", "pause", "resume", "delete" })
	void aDefinitionWhoseCarryingProcessDiedCanBeChanged(String change) {
		DelayQueueEngine dead = this.queue.engine(1);
		create(dead, daily("a"));
		dead.admin().repartition(QUEUE, 2);
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(dead).text().endsWith("1:2"));
		dead.close();
		RecurringCalls calls = new RecurringCalls(this.queue.calls());
		Partition old = new Partition(QUEUE, 0);
		new EpochCalls(this.queue.calls()).close(old, epochs(dead));
		assertThat(calls.carry(old, Objects.requireNonNull(calls.find(old, "a", false).definition()))).isNotNull();

		DelayQueueEngine engine = this.queue.engine(1);
		switch (change) {
			case "replace" ->
				assertThat(create(engine, daily("a").payload("other"))).isEqualTo(RecurringResult.REPLACED);
			case "pause" -> assertThat(engine.recurring().pause(QUEUE, "a")).isTrue();
			case "resume" -> assertThat(engine.recurring().resume(QUEUE, "a")).isTrue();
			default -> assertThat(engine.recurring().delete(QUEUE, "a")).isTrue();
		}
		assertThat(engine.recurring().list(QUEUE, null, 10).schedules()).hasSize(change.equals("delete") ? 0 : 1);
		assertThat(this.queue.count("recurring", 1)).isZero();
	}

	@Test
	void manyMissedInstantsInAnOlderEpochAreStoredInSeveralCalls() {
		DelayQueueEngine engine = this.queue.engine(1);
		this.queue.consume(engine, 1);
		engine.operations().schedule(ScheduleRequest.to(QUEUE).payload("p").group("g").delay(Duration.ofHours(1)));
		List<String> keys = IntStream.range(0, 30).mapToObj((n) -> "g" + n).toList();
		keys.forEach((key) -> create(engine,
				RecurringSchedule.to(QUEUE, key)
					.payload("p")
					.group("g")
					.cron("* * * * * *", "UTC")
					.missed(MissedPolicy.ALL)));
		engine.admin().repartition(QUEUE, 4);
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().endsWith("1:4"));

		Instant was = Instant.now().minusSeconds(600);
		keys.forEach((key) -> this.queue.dueAt(key, was));

		await().atMost(Duration.ofMinutes(2))
			.until(() -> keys.stream().allMatch((key) -> this.queue.handledOf(key).size() >= 150));
		assertThat(this.queue.missed("g0")).isGreaterThan(500);
	}

	@Test
	void anOwnerRemovesTheOlderDefinitionIfTheProcessThatReplacedItDied() {
		DelayQueueEngine engine = this.queue.engine(2);
		create(engine, everySecond("a").group(groupOf(0)));
		Instant now = get(engine, "a").state().storedAt();
		NewDefinition later = new NewDefinition("a", CallToken.next(), (now.toEpochMilli() + 1) * 1000,
				(now.toEpochMilli() + 1) * 1000, groupOf(1),
				new RecurringFields(everySecond("a").recurrence(), MissedPolicy.LATEST, OverlapPolicy.ALLOW, "", null),
				"\np".getBytes(StandardCharsets.UTF_8));
		new RecurringCalls(this.queue.calls()).put(new Partition(QUEUE, 1), epochs(engine),
				TestEngines.settings(QUEUE, 2), later, now.plusSeconds(60), false, true);
		assertThat(this.queue.count("recurring", 2)).isEqualTo(2);
		this.queue.consume(engine, 2);

		await().until(() -> this.queue.count("recurring", 2) == 1 && !this.queue.handledOf("a").isEmpty());
		assertThat(get(engine, "a").group()).isEqualTo(groupOf(1));
		int before = this.queue.handledOf("a").size();
		await().until(() -> this.queue.handledOf("a").size() >= before + 2);
		assertThat(this.queue.handledOf("a").get(before + 1))
			.isEqualTo(this.queue.handledOf("a").get(before).plusSeconds(1));
	}

	@Test
	void aDueInstantIsStoredBeforeADefinitionWithAnotherGroupReplacesTheDefinition() {
		DelayQueueEngine engine = this.queue.engine(2);
		create(engine, daily("a").group(groupOf(0)).overlap(OverlapPolicy.SKIP));
		Instant due = Instant.now().truncatedTo(ChronoUnit.SECONDS).minusSeconds(300);
		this.queue.dueAt("a", due);

		create(engine, daily("a").group(groupOf(1)).overlap(OverlapPolicy.SKIP));

		assertThat(this.queue.count("recurring", 2)).isOne();
		assertThat(get(engine, "a").group()).isEqualTo(groupOf(1));
		assertThat(this.queue.missed("a")).isOne();
		assertThat(this.queue.ids()).containsExactly("a@" + due);
	}

	@Test
	void anInstantAfterTheReplacementBelongsToTheNewDefinitionOnly() {
		DelayQueueEngine engine = this.queue.engine(2);
		create(engine, daily("a").group(groupOf(0)));
		Instant stored = get(engine, "a").state().storedAt();
		Instant replaced = stored.plusMillis(1);
		this.queue.dueAt("a", stored.plusMillis(2));
		await().until(() -> get(engine, "a").state().readAt().isAfter(stored.plusMillis(2)));

		RecurringCalls calls = new RecurringCalls(this.queue.calls());
		assertThat(calls
			.removeOlder(new Partition(QUEUE, 0), "a", replaced.toEpochMilli() * 1000, CallToken.next(), Older.OLDER)
			.changed()).isEqualTo(Changed.DONE);
	}

	@Test
	void aDefinitionWhoseOlderOnesCannotBeRemovedDoesNotDelayOthers() {
		DelayQueueEngine engine = this.queue.engine(2);
		create(engine, everySecond("a").group(groupOf(0)));
		NewDefinition unchecked = new NewDefinition("b", CallToken.next(),
				get(engine, "a").state().storedAt().toEpochMilli() * 1000,
				get(engine, "a").state().storedAt().toEpochMilli() * 1000, groupOf(0),
				new RecurringFields(everySecond("b").recurrence(), MissedPolicy.LATEST, OverlapPolicy.ALLOW, "", null),
				"\np".getBytes(StandardCharsets.UTF_8));
		new RecurringCalls(this.queue.calls()).put(new Partition(QUEUE, 0), epochs(engine),
				TestEngines.settings(QUEUE, 2), unchecked, Instant.now().plusSeconds(60), false, true);
		String control = this.queue.prefix() + ":{digests:1}:control";
		this.queue.engines().template().opsForHash().put(control, "layout", "9".getBytes(StandardCharsets.UTF_8));
		this.queue.consume(engine, 2);

		await().until(() -> this.queue.handledOf("a").size() >= 3);
		assertThat(this.queue.handledOf("b")).isEmpty();
		this.queue.engines().template().opsForHash().put(control, "layout", "1".getBytes(StandardCharsets.UTF_8));
		await().until(() -> !this.queue.handledOf("b").isEmpty());
	}

	private static String groupOf(int partition) {
		return Stream.iterate("g", (last) -> last + "g")
			.filter((group) -> Partitioner.of("a", group, 2) == partition)
			.findFirst()
			.orElseThrow();
	}

}
