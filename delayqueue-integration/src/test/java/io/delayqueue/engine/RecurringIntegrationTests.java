package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.delayqueue.CancelResult;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.RecurringPage;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.lifecycle.Intervals;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.SharedRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.delayqueue.engine.RecurringQueue.QUEUE;
import static io.delayqueue.engine.RecurringQueue.create;
import static io.delayqueue.engine.RecurringQueue.daily;
import static io.delayqueue.engine.RecurringQueue.epochs;
import static io.delayqueue.engine.RecurringQueue.everySecond;
import static io.delayqueue.engine.RecurringQueue.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Recurring schedules of one process and of several ones.
 */
class RecurringIntegrationTests {

	@RegisterExtension
	final RecurringQueue queue = new RecurringQueue();

	@Test
	void definitionsWaitForTheirNewEpochWithoutManyCalls() {
		Intervals often = TestEngines.SHORT;
		DelayQueueEngine engine = this.queue.engine(1,
				new Intervals(often.declarations(), often.declarationsOfOthers(), often.declared(), often.recurring(),
						often.recurringOwner(), often.recurringMark(), often.epochs(), Duration.ofHours(1),
						often.deadLetters(), often.trends()));
		this.queue.consume(engine, 1);
		create(engine, daily("a"));
		engine.recurring().pause(QUEUE, "a");
		Epochs epochs = epochs(engine);
		Epochs announced = epochs.announce(2, 1);
		engine.directory().change(epochs, announced);
		long began = System.nanoTime();
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			new EpochCalls(this.queue.calls()).close(new Partition(QUEUE, 0), announced.activate());

			// Two calls a round: one reads the definitions, the other marks one that is
			// to move
			await().until(() -> log.commands()
				.stream()
				.filter((command) -> command.arguments().contains(this.queue.prefix() + ":{digests:0}:recurrences"))
				.count() >= 10);
		}
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(often.recurringOwner().multipliedBy(2));
	}

	@Test
	void eachInstantHasOneOccurrenceWhoeverConsumes() {
		List<DelayQueueEngine> all = List.of(this.queue.engine(2), this.queue.engine(2));
		all.forEach((engine) -> this.queue.consume(engine, 2));
		assertThat(create(all.get(0), everySecond("a"))).isEqualTo(RecurringResult.CREATED);
		assertThat(create(all.get(1), everySecond("a"))).isEqualTo(RecurringResult.UNCHANGED);
		create(all.get(1), everySecond("b").group("g"));

		await().until(() -> this.queue.handledOf("a").size() >= 3 && this.queue.handledOf("b").size() >= 3);

		List.of("a", "b").forEach((key) -> {
			List<Instant> instants = this.queue.handledOf(key);
			assertThat(instants).doesNotHaveDuplicates();
			Instant first = instants.get(0);
			assertThat(instants)
				.isEqualTo(IntStream.range(0, instants.size()).mapToObj((n) -> first.plusSeconds(n)).toList());
		});
		RecurringSnapshot snapshot = get(all.get(0), "b");
		assertThat(snapshot.group()).isEqualTo("g");
		assertThat(snapshot.state().counts().missed()).isZero();
		assertThat(snapshot.upcoming(3)).hasSize(3).startsWith(snapshot.next().orElseThrow());
	}

	@Test
	void theFirstOccurrenceIsStoredAheadAsAnOrdinaryMessage() {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, daily("daily").header("origin", "test").group("g"));

		RecurringSnapshot snapshot = get(engine, "daily");
		Instant next = snapshot.next().orElseThrow();
		MessageKey occurrence = MessageKey.of(QUEUE, "daily@" + next).inGroup("g");
		assertThat(engine.operations().find(occurrence)).hasValueSatisfying((message) -> {
			assertThat(message.dueAt()).isEqualTo(next);
		});
		assertThat(engine.operations().countGroup(QUEUE, "g")).isOne();
		assertThat(snapshot.state().lastInstant()).isEqualTo(next);
		assertThat(engine.operations().cancel(occurrence).name()).isEqualTo("CANCELLED");
		assertThat(get(engine, "daily").next()).contains(next);
	}

	@Test
	void aPauseRemovesWhatIsStoredAheadAndAResumeStoresTheNext() {
		DelayQueueEngine engine = this.queue.engine(3);
		create(engine, daily("daily"));
		Instant next = get(engine, "daily").next().orElseThrow();

		assertThat(engine.recurring().pause(QUEUE, "daily")).isTrue();
		assertThat(engine.recurring().pause(QUEUE, "daily")).isTrue();
		assertThat(this.queue.ids()).isEmpty();
		RecurringSnapshot paused = get(engine, "daily");
		assertThat(paused.next()).isEmpty();
		assertThat(paused.pausedSince()).isPresent();
		assertThat(create(engine, daily("daily").payload("other"))).isEqualTo(RecurringResult.REPLACED);
		assertThat(get(engine, "daily").pausedSince()).isEqualTo(paused.pausedSince());
		assertThat(this.queue.ids()).isEmpty();

		assertThat(engine.recurring().resume(QUEUE, "daily")).isTrue();
		assertThat(engine.recurring().resume(QUEUE, "daily")).isTrue();
		assertThat(this.queue.ids()).containsExactly("daily@" + next);
		assertThat(get(engine, "daily").next()).contains(next);
		assertThat(engine.recurring().pause(QUEUE, "unknown")).isFalse();
		assertThat(engine.recurring().resume(QUEUE, "unknown")).isFalse();
	}

	@Test
	void aReplacementRemovesWhatIsStoredAheadAndADeletionEverything() {
		DelayQueueEngine engine = this.queue.engine(2);
		create(engine, daily("daily"));
		assertThat(create(engine, daily("daily"))).isEqualTo(RecurringResult.UNCHANGED);
		assertThat(create(engine, daily("daily").cron("0 0 4 * * *", "UTC"))).isEqualTo(RecurringResult.REPLACED);
		Instant next = get(engine, "daily").next().orElseThrow();
		assertThat(next.toString()).endsWith("T04:00:00Z");
		assertThat(this.queue.ids()).containsExactly("daily@" + next);
		assertThat(create(engine, daily("daily").cron("0 0 4 * * *", "UTC").payload("p2")))
			.isEqualTo(RecurringResult.REPLACED);
		assertThat(this.queue.ids()).containsExactly("daily@" + next);

		assertThat(create(engine, daily("daily").group("g"))).isIn(RecurringResult.CREATED, RecurringResult.REPLACED);
		assertThat(engine.recurring().list(QUEUE, null, 10).schedules()).hasSize(1);
		assertThat(this.queue.ids()).hasSize(1);

		assertThat(engine.recurring().delete(QUEUE, "daily")).isTrue();
		assertThat(engine.recurring().delete(QUEUE, "daily")).isFalse();
		assertThat(engine.recurring().get(QUEUE, "daily")).isEmpty();
		assertThat(this.queue.ids()).isEmpty();
		assertThat(this.queue.count("recurring", 2)).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "purge,", "purge,g", "purgeWithDeadLetters,", "cancelGroup,g" })
	void aPurgeKeepsTheNextOccurrence(String call, @Nullable String group) {
		DelayQueueEngine engine = this.queue.engine(2);
		create(engine, (group != null) ? daily("daily").group(group) : daily("daily"));
		create(engine, daily("paused").group("g"));
		engine.recurring().pause(QUEUE, "paused");
		engine.recurring().runNow(QUEUE, "daily");
		ScheduleRequest other = ScheduleRequest.to(QUEUE).payload("p").delay(Duration.ofHours(1));
		engine.operations().schedule(other.id("daily@other").group((group != null) ? group : "g"));
		Instant next = get(engine, "daily").next().orElseThrow();
		assertThat(this.queue.ids()).hasSize(3);

		long removed = switch (call) {
			case "purge" -> engine.admin().purge(QUEUE).total();
			case "purgeWithDeadLetters" -> engine.admin().purgeWithDeadLetters(QUEUE).total();
			default -> engine.operations().cancelGroup(QUEUE, "g").total();
		};

		assertThat(removed).isEqualTo(2);
		assertThat(this.queue.ids()).containsExactly("daily@" + next);
		assertThat(engine.operations().cancel(MessageKey.of(QUEUE, "daily@" + next))).isEqualTo(CancelResult.CANCELLED);
	}

	@Test
	void aRunNowIsOneMoreMessage() {
		DelayQueueEngine engine = this.queue.engine(2);
		this.queue.consume(engine, 2);
		create(engine, daily("daily"));
		engine.recurring().pause(QUEUE, "daily");

		String id = engine.recurring().runNow(QUEUE, "daily").orElseThrow().id();

		await().until(() -> this.queue.handled().contains(id));
		assertThat(engine.recurring().runNow(QUEUE, "unknown")).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "LATEST,1,590", "ALL,161,530", "NONE,1,590" })
	void missedInstantsHaveOccurrencesByPolicy(MissedPolicy policy, int stored, long missed) {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, RecurringSchedule.to(QUEUE, "a").payload("p").cron("* * * * * *", "UTC").missed(policy));
		Instant was = get(engine, "a").next().orElseThrow().minusSeconds(600);
		this.queue.dueAt("a", was);
		this.queue.consume(engine, 1);

		await().until(
				() -> this.queue.handledOf("a").stream().anyMatch((instant) -> instant.isAfter(was.plusSeconds(601))));
		await().until(() -> this.queue.handledOf("a").size() >= stored);

		List<Instant> late = this.queue.handledOf("a")
			.stream()
			.filter((instant) -> instant.isBefore(was.plusSeconds(599)))
			.toList();
		assertThat(late.size()).isBetween(Math.max(0, stored - 5), stored);
		assertThat(this.queue.handledOf("a")).doesNotHaveDuplicates();
		assertThat(this.queue.missed("a")).isBetween(missed, missed + 15);
		assertThat(get(engine, "a").state().counts().missed()).isEqualTo(this.queue.missed("a"));
	}

	@Test
	void anOverlappingInstantIsSkipped() {
		DelayQueueEngine engine = this.queue.engine(1);
		CountDownLatch end = new CountDownLatch(1);
		this.queue.consume(engine, 1, end);
		create(engine, everySecond("a").overlap(OverlapPolicy.SKIP));
		assertThat(this.queue.ids()).isEmpty();

		await().until(() -> this.queue.skipped("a") >= 2);
		assertThat(this.queue.ids()).hasSize(1);
		end.countDown();

		await().until(() -> this.queue.handledOf("a").size() >= 2);
		assertThat(get(engine, "a").state().counts().skipped()).isEqualTo(this.queue.skipped("a"));
	}

	@Test
	void anInstantThatIsDueHasItsOccurrenceIfItsScheduleIsReplaced() {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, daily("a").overlap(OverlapPolicy.SKIP));
		Instant due = Instant.ofEpochMilli(System.currentTimeMillis() - 10_000);
		this.queue.dueAt("a", due);

		assertThat(create(engine, daily("a").cron("0 0 4 * * *", "UTC"))).isEqualTo(RecurringResult.REPLACED);

		Instant next = get(engine, "a").next().orElseThrow();
		assertThat(next.toString()).endsWith("T04:00:00Z");
		assertThat(this.queue.ids()).containsExactlyInAnyOrder("a@" + due, "a@" + next);
	}

	@Test
	void theSameDefinitionsOfManyProcessesAreStoredOnce() {
		List<CompletableFuture<Void>> processes = IntStream.range(0, 4)
			.mapToObj((n) -> this.queue.engine(4))
			.map((engine) -> CompletableFuture.runAsync(
					() -> IntStream.range(0, 200).forEach((n) -> create(engine, daily("daily-" + n))),
					(task) -> new Thread(task).start()))
			.toList();
		processes.forEach(CompletableFuture::join);

		List<String> listed = new ArrayList<>();
		RecurringPage page = this.queue.engines().first().recurring().list(QUEUE, null, 50);
		page.schedules().forEach((schedule) -> listed.add(schedule.key()));
		while (page.next().isPresent()) {
			page = this.queue.engines().first().recurring().list(QUEUE, page.cursor(), 50);
			page.schedules().forEach((schedule) -> listed.add(schedule.key()));
		}
		assertThat(Set.copyOf(listed)).hasSize(200);
		assertThat(this.queue.count("recurring", 4)).isEqualTo(200);
		assertThat(this.queue.count("messages", 4)).isEqualTo(200);
	}

	@Tag("slow")
	@Test
	void anOccurrenceCostsTwoCallsInsteadOfTheOneThatSchedulesAMessage() {
		DelayQueueEngine engine = this.queue.engine(1);
		this.queue.consume(engine, 1);
		create(engine, everySecond("a"));
		await().until(() -> !this.queue.handledOf("a").isEmpty());
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			int before = this.queue.handledOf("a").size();
			await().until(() -> this.queue.handledOf("a").size() >= before + 5);
			int occurrences = this.queue.handledOf("a").size() - before;
			assertThat(log.commands()
				.stream()
				.filter((command) -> command.arguments()
					.toString()
					.contains(this.queue.prefix() + ":{digests:0}:recurrences")))
				.hasSizeLessThanOrEqualTo(2 * (occurrences + 1));
		}
	}

	@Test
	void badInputIsRefusedByName() {
		DelayQueueEngine engine = this.queue.engine(1);
		RecurringSchedule past = RecurringSchedule.to(QUEUE, "a")
			.payload("p")
			.cron("0 0 0 * * *", "UTC")
			.until(Instant.parse("2020-01-01T00:00:00Z"));
		assertRefused("until", () -> create(engine, past));
		assertRefused("payload", () -> create(engine, RecurringSchedule.to(QUEUE, "a").every(Duration.ofDays(1))));
		assertRefused("cron", () -> create(engine, RecurringSchedule.to(QUEUE, "a").payload("p")));
		assertRefused("limit", () -> engine.recurring().list(QUEUE, null, 0));
		assertRefused("cursor", () -> engine.recurring().list(QUEUE, "x", 1));
		create(engine, daily("daily"));
		engine.admin().drain(QUEUE);
		assertThatExceptionOfType(QueueDrainingException.class).isThrownBy(() -> create(engine, daily("b")));
	}

	private static void assertRefused(String field, Runnable call) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::run)
			.satisfies((refused) -> assertThat(refused.field()).isEqualTo(field));
	}

}
