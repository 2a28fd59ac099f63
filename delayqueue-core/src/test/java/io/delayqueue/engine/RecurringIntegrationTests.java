package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
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
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.NewDefinition;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RecurringSteps;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.core.RedisCallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Recurring schedules of one process and of several ones.
 */
class RecurringIntegrationTests {

	private static final String QUEUE = "digests";

	private static final String UNREADABLE = "1 gen 1 0 0 - 0 0 0 0\n\n"
			+ "{\"cron\":\"0 0 3 * * *\",\"zone\":\"Europe/Atlantis\"}\n\n";

	private final String prefix = "recurring-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	private final Map<String, AtomicLong> missed = new ConcurrentHashMap<>();

	private final Map<String, AtomicLong> skipped = new ConcurrentHashMap<>();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@Test
	void eachInstantHasOneOccurrenceWhoeverConsumes() {
		List<DelayQueueEngine> all = List.of(engine(2), engine(2));
		all.forEach((engine) -> consume(engine, 2));
		assertThat(create(all.get(0), everySecond("a"))).isEqualTo(RecurringResult.CREATED);
		assertThat(create(all.get(1), everySecond("a"))).isEqualTo(RecurringResult.UNCHANGED);
		create(all.get(1), everySecond("b").group("g"));

		await().until(() -> handledOf("a").size() >= 4 && handledOf("b").size() >= 4);

		List.of("a", "b").forEach((key) -> {
			List<Instant> instants = handledOf(key);
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
		DelayQueueEngine engine = engine(1);
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
		DelayQueueEngine engine = engine(3);
		create(engine, daily("daily"));
		Instant next = get(engine, "daily").next().orElseThrow();

		assertThat(engine.recurring().pause(QUEUE, "daily")).isTrue();
		assertThat(engine.recurring().pause(QUEUE, "daily")).isTrue();
		assertThat(ids()).isEmpty();
		RecurringSnapshot paused = get(engine, "daily");
		assertThat(paused.next()).isEmpty();
		assertThat(paused.pausedSince()).isPresent();
		assertThat(create(engine, daily("daily").payload("other"))).isEqualTo(RecurringResult.REPLACED);
		assertThat(get(engine, "daily").pausedSince()).isEqualTo(paused.pausedSince());
		assertThat(ids()).isEmpty();

		assertThat(engine.recurring().resume(QUEUE, "daily")).isTrue();
		assertThat(engine.recurring().resume(QUEUE, "daily")).isTrue();
		assertThat(ids()).containsExactly("daily@" + next);
		assertThat(get(engine, "daily").next()).contains(next);
		assertThat(engine.recurring().pause(QUEUE, "unknown")).isFalse();
		assertThat(engine.recurring().resume(QUEUE, "unknown")).isFalse();
	}

	@Test
	void aReplacementRemovesWhatIsStoredAheadAndADeletionEverything() {
		DelayQueueEngine engine = engine(2);
		create(engine, daily("daily"));
		assertThat(create(engine, daily("daily"))).isEqualTo(RecurringResult.UNCHANGED);
		assertThat(create(engine, daily("daily").cron("0 0 4 * * *", "UTC"))).isEqualTo(RecurringResult.REPLACED);
		Instant next = get(engine, "daily").next().orElseThrow();
		assertThat(next.toString()).endsWith("T04:00:00Z");
		assertThat(ids()).containsExactly("daily@" + next);
		assertThat(create(engine, daily("daily").cron("0 0 4 * * *", "UTC").payload("p2")))
			.isEqualTo(RecurringResult.REPLACED);
		assertThat(ids()).containsExactly("daily@" + next);

		assertThat(create(engine, daily("daily").group("g"))).isIn(RecurringResult.CREATED, RecurringResult.REPLACED);
		assertThat(engine.recurring().list(QUEUE, null, 10).schedules()).hasSize(1);
		assertThat(ids()).hasSize(1);

		assertThat(engine.recurring().delete(QUEUE, "daily")).isTrue();
		assertThat(engine.recurring().delete(QUEUE, "daily")).isFalse();
		assertThat(engine.recurring().get(QUEUE, "daily")).isEmpty();
		assertThat(ids()).isEmpty();
		assertThat(count("recurring", 2)).isZero();
	}

	@Test
	void aRunNowIsOneMoreMessage() {
		DelayQueueEngine engine = engine(2);
		consume(engine, 2);
		create(engine, daily("daily"));
		engine.recurring().pause(QUEUE, "daily");

		String id = engine.recurring().runNow(QUEUE, "daily").orElseThrow().id();

		await().until(() -> this.handled.contains(id));
		assertThat(engine.recurring().runNow(QUEUE, "unknown")).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "LATEST,1", "ALL,100", "NONE,0" })
	void missedInstantsHaveOccurrencesByPolicy(MissedPolicy policy, int stored) {
		DelayQueueEngine engine = engine(1);
		create(engine, RecurringSchedule.to(QUEUE, "a").payload("p").cron("* * * * * *", "UTC").missed(policy));
		Instant was = get(engine, "a").next().orElseThrow().minusSeconds(600);
		dueAt("a", was);
		consume(engine, 1);

		await().until(() -> handledOf("a").stream().anyMatch((instant) -> instant.isAfter(was.plusSeconds(601))));
		await().until(() -> handledOf("a").size() > 55 + stored);

		// The instants of the last minute are late and not missed
		List<Instant> longAgo = handledOf("a").stream()
			.filter((instant) -> instant.isBefore(was.plusSeconds(600 - 65)))
			.toList();
		assertThat(longAgo.size()).isBetween(Math.max(0, stored - 5), stored);
		assertThat(handledOf("a")).doesNotHaveDuplicates().hasSizeGreaterThan(50);
		assertThat(missed("a")).isBetween(530L, 545L);
		assertThat(get(engine, "a").state().counts().missed()).isEqualTo(missed("a"));
	}

	@Test
	void anOverlappingInstantIsSkipped() {
		DelayQueueEngine engine = engine(1);
		create(engine, everySecond("a").overlap(OverlapPolicy.SKIP));
		assertThat(ids()).isEmpty();
		engine.admin().pause(QUEUE);
		consume(engine, 1);

		await().until(() -> skipped("a") >= 2);
		assertThat(ids()).hasSize(1);
		engine.admin().resume(QUEUE);

		await().until(() -> handledOf("a").size() >= 3);
		assertThat(get(engine, "a").state().counts().skipped()).isEqualTo(skipped("a"));
	}

	@Test
	void anInstantThatIsDueHasItsOccurrenceIfItsScheduleIsReplaced() {
		DelayQueueEngine engine = engine(1);
		create(engine, daily("a").overlap(OverlapPolicy.SKIP));
		Instant due = Instant.ofEpochMilli(System.currentTimeMillis() - 10_000);
		dueAt("a", due);

		assertThat(create(engine, daily("a").cron("0 0 4 * * *", "UTC"))).isEqualTo(RecurringResult.REPLACED);

		Instant next = get(engine, "a").next().orElseThrow();
		assertThat(next.toString()).endsWith("T04:00:00Z");
		assertThat(ids()).containsExactlyInAnyOrder("a@" + due, "a@" + next);
	}

	@Test
	void aDefinitionThatCannotBeReadIsReplacedIfItIsDue() {
		DelayQueueEngine engine = engine(1);
		create(engine, daily("a"));
		write("a", UNREADABLE);
		dueAt("a", Instant.ofEpochSecond(1));

		assertThat(create(engine, daily("a"))).isEqualTo(RecurringResult.REPLACED);
		assertThat(get(engine, "a").next()).isPresent();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void definitionsThatCannotBeReadDoNotBlockOthers(boolean isClosed) {
		DelayQueueEngine engine = engine(1);
		create(engine, daily("last").group("g"));
		create(engine, everySecond("a").group("g"));
		for (int n = 0; n < 450; n++) {
			write("lost-" + n, (n % 2 == 0) ? UNREADABLE : "2 of a newer version");
			dueAt("lost-" + n, Instant.ofEpochSecond(n + 1));
		}
		consume(engine, 1);
		if (isClosed) {
			engine.admin().repartition(QUEUE, 2);
			await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().endsWith("1:2"));
		}
		this.handled.clear();
		await().until(() -> handledOf("a").size() >= 3);
		assertThat(count("recurring", 1)).isEqualTo(452);
	}

	@Test
	void aDefinitionThatCannotBeReadIsReplaced() {
		DelayQueueEngine engine = engine(1);
		create(engine, daily("a"));
		write("a", UNREADABLE);

		assertThat(engine.recurring().list(QUEUE, null, 10).schedules()).isEmpty();
		assertThat(engine.recurring().createOrReplace(daily("a"))).isEqualTo(RecurringResult.REPLACED);
		assertThat(get(engine, "a").recurrence().zone()).hasToString("UTC");
	}

	@Test
	void aLostInstantIsMended() {
		DelayQueueEngine engine = engine(1);
		create(engine, everySecond("a"));
		create(engine, daily("daily"));
		consume(engine, 1);
		await().until(() -> handledOf("a").size() >= 2);

		this.engines.template().delete(this.prefix + ":{digests:0}:recurrences");
		int before = handledOf("a").size();

		await().atMost(Duration.ofMinutes(1)).until(() -> handledOf("a").size() >= before + 13);
		assertThat(handledOf("a")).doesNotHaveDuplicates();
		assertThat(get(engine, "daily").next()).isPresent();
		assertThat(get(engine, "daily").pausedSince()).isEmpty();
	}

	@Test
	void theSameDefinitionsOfManyProcessesAreStoredOnce() {
		List<CompletableFuture<Void>> processes = IntStream.range(0, Integer.getInteger("recurring.processes", 4))
			.mapToObj((n) -> engine(4))
			.map((engine) -> CompletableFuture.runAsync(
					() -> IntStream.range(0, 1000).forEach((n) -> create(engine, daily("daily-" + n))),
					(task) -> new Thread(task).start()))
			.toList();
		processes.forEach(CompletableFuture::join);

		List<String> listed = new ArrayList<>();
		RecurringPage page = this.engines.first().recurring().list(QUEUE, null, 50);
		page.schedules().forEach((schedule) -> listed.add(schedule.key()));
		while (page.next().isPresent()) {
			page = this.engines.first().recurring().list(QUEUE, page.cursor(), 50);
			page.schedules().forEach((schedule) -> listed.add(schedule.key()));
		}
		assertThat(Set.copyOf(listed)).hasSize(1000);
		assertThat(count("recurring", 4)).isEqualTo(1000);
		assertThat(count("messages", 4)).isEqualTo(1000);
	}

	@Test
	void definitionsMoveToTheNewPartitionsAndNoInstantIsLostOrDoubled() {
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
		create(engine, everySecond("a"));
		create(engine, everySecond("g").group("g"));
		create(engine, everySecond("s").overlap(OverlapPolicy.SKIP));
		create(engine, daily("paused"));
		engine.recurring().pause(QUEUE, "paused");
		await().until(() -> handledOf("a").size() >= 2 && handledOf("g").size() >= 2);

		engine.admin().repartition(QUEUE, 4);

		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:4"));
		int before = handledOf("a").size();
		await().until(() -> handledOf("a").size() >= before + 3);
		assertThat(count("recurring", 1)).isZero();
		assertThat(engine.recurring().list(QUEUE, null, 10).schedules()).extracting(RecurringSnapshot::key)
			.containsExactlyInAnyOrder("a", "g", "s", "paused");
		assertThat(get(engine, "paused").pausedSince()).isPresent();
		List.of("a", "g").forEach((key) -> {
			List<Instant> instants = handledOf(key).stream().sorted().toList();
			Instant first = instants.get(0);
			assertThat(instants)
				.isEqualTo(IntStream.range(0, instants.size()).mapToObj((n) -> first.plusSeconds(n)).toList());
		});
		assertThat(handledOf("s")).doesNotHaveDuplicates();
		assertThat(engine.recurring().delete(QUEUE, "a")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "replace", "pause", "resume", "delete" })
	void aDefinitionWhoseCarryingProcessDiedCanBeChanged(String change) {
		DelayQueueEngine dead = engine(1);
		create(dead, daily("a"));
		dead.admin().repartition(QUEUE, 2);
		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(dead).text().endsWith("1:2"));
		dead.close();
		RecurringCalls calls = new RecurringCalls(calls());
		Partition old = new Partition(QUEUE, 0);
		new EpochCalls(calls()).close(old, epochs(dead));
		assertThat(calls.carry(old, Objects.requireNonNull(calls.find(old, "a", false).definition()))).isNotNull();

		DelayQueueEngine engine = engine(1);
		switch (change) {
			case "replace" ->
				assertThat(create(engine, daily("a").payload("other"))).isEqualTo(RecurringResult.REPLACED);
			case "pause" -> assertThat(engine.recurring().pause(QUEUE, "a")).isTrue();
			case "resume" -> assertThat(engine.recurring().resume(QUEUE, "a")).isTrue();
			default -> assertThat(engine.recurring().delete(QUEUE, "a")).isTrue();
		}
		assertThat(engine.recurring().list(QUEUE, null, 10).schedules()).hasSize(change.equals("delete") ? 0 : 1);
		assertThat(count("recurring", 1)).isZero();
	}

	@Test
	void manyMissedInstantsInAnOlderEpochAreStoredInSeveralCalls() {
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
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
		keys.forEach((key) -> dueAt(key, was));

		await().atMost(Duration.ofMinutes(2))
			.until(() -> keys.stream().allMatch((key) -> handledOf(key).size() >= 150));
		assertThat(missed("g0")).isGreaterThan(500);
	}

	@Test
	void aQueueWithoutDefinitionsCostsNoCall() {
		DelayQueueEngine engine = engine(2);
		consume(engine, 2);
		create(engine(1), RecurringSchedule.to("other", "a").payload("p").every(Duration.ofDays(1)));
		await().until(() -> engine.directory().recurring().contains("other"));
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			await().until(() -> log.count("EVALSHA") >= 8);
			assertThat(log.commands()
				.stream()
				.filter((command) -> command.arguments().toString().contains(this.prefix + ":{digests:"))
				.filter((command) -> command.arguments().toString().contains(":recurrences"))).isEmpty();
		}
	}

	@Test
	void anOwnerRemovesTheOlderDefinitionIfTheProcessThatReplacedItDied() {
		DelayQueueEngine engine = engine(2);
		create(engine, everySecond("a").group(groupOf(0)));
		Instant now = get(engine, "a").state().storedAt();
		NewDefinition later = new NewDefinition("a", CallToken.next(), (now.toEpochMilli() + 1) * 1000, groupOf(1),
				new RecurringFields(everySecond("a").recurrence(), MissedPolicy.LATEST, OverlapPolicy.ALLOW, "", null),
				"\np".getBytes(StandardCharsets.UTF_8));
		new RecurringCalls(calls()).put(new Partition(QUEUE, 1), epochs(engine), settings(QUEUE, 2), later,
				now.plusSeconds(60), false, true);
		assertThat(count("recurring", 2)).isEqualTo(2);
		consume(engine, 2);

		await().until(() -> count("recurring", 2) == 1 && !handledOf("a").isEmpty());
		assertThat(get(engine, "a").group()).isEqualTo(groupOf(1));
		int before = handledOf("a").size();
		await().until(() -> handledOf("a").size() >= before + 2);
		assertThat(handledOf("a").get(before + 1)).isEqualTo(handledOf("a").get(before).plusSeconds(1));
	}

	@Test
	void aDefinitionWhoseOlderOnesCannotBeRemovedDoesNotDelayOthers() {
		DelayQueueEngine engine = engine(2);
		create(engine, everySecond("a").group(groupOf(0)));
		NewDefinition unchecked = new NewDefinition("b", CallToken.next(),
				get(engine, "a").state().storedAt().toEpochMilli() * 1000, groupOf(0),
				new RecurringFields(everySecond("b").recurrence(), MissedPolicy.LATEST, OverlapPolicy.ALLOW, "", null),
				"\np".getBytes(StandardCharsets.UTF_8));
		new RecurringCalls(calls()).put(new Partition(QUEUE, 0), epochs(engine), settings(QUEUE, 2), unchecked,
				Instant.now().plusSeconds(60), false, true);
		String control = this.prefix + ":{digests:1}:control";
		this.engines.template().opsForHash().put(control, "layout", "9".getBytes(StandardCharsets.UTF_8));
		consume(engine, 2);

		await().until(() -> handledOf("a").size() >= 3);
		assertThat(handledOf("b")).isEmpty();
		this.engines.template().opsForHash().put(control, "layout", "1".getBytes(StandardCharsets.UTF_8));
		await().until(() -> !handledOf("b").isEmpty());
	}

	private static String groupOf(int partition) {
		return Stream.iterate("g", (last) -> last + "g")
			.filter((group) -> Partitioner.of("a", group, 2) == partition)
			.findFirst()
			.orElseThrow();
	}

	private RedisCalls calls() {
		return new RedisCalls(this.engines.template(), new KeySpace(this.prefix));
	}

	@Test
	void theMarkOfAQueueIsRemovedAfterItsLastDefinition() {
		DelayQueueEngine engine = engine(2);
		consume(engine, 2);
		create(engine, daily("a"));
		assertThat(removeMark(engine, (partition) -> false)).isFalse();
		engine.recurring().delete(QUEUE, "a");

		assertThat(removeMark(engine, (partition) -> false)).isTrue();
		assertThat(mark()).isNull();
		await().until(() -> !engine.directory().recurring().contains(QUEUE));
		assertThat(removeMark(engine, (partition) -> false)).isFalse();
		create(engine, everySecond("b"));
		assertThat(mark()).isNotNull();
		await().until(() -> handledOf("b").size() >= 2);
	}

	@Test
	void theMarkStaysIfADefinitionIsStoredWhileItIsBeingRemoved() {
		DelayQueueEngine engine = engine(2);
		create(engine, daily("a"));
		engine.recurring().delete(QUEUE, "a");
		// The partition of the definition has been checked before
		assertThat(removeMark(engine, (partition) -> {
			if (partition.number() == 1) {
				String key = Stream.iterate("a", (last) -> last + "a")
					.filter((one) -> Partitioner.of(one, null, 2) == 0)
					.findFirst()
					.orElseThrow();
				create(engine, daily(key));
			}
			return false;
		})).isFalse();
		assertThat(mark()).isNotNull();
	}

	@Test
	void theMarkStaysIfANewerEpochThatIsNotKnownYetHasDefinitions() {
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
		create(engine, daily("a"));
		engine.recurring().pause(QUEUE, "a");
		Epochs known = epochs(engine);
		engine.admin().repartition(QUEUE, 2);
		await().atMost(Duration.ofMinutes(1)).until(() -> count("recurring", 1) == 0);

		RecurringSteps steps = new RecurringSteps(calls());
		assertThat(engine.directory().recurring().removeIfUnused(known, steps::hasDefinitions)).isFalse();
		assertThat(mark()).isNotNull();
	}

	@Test
	void aProcessMarksAQueueAgainThatRedisHasLost() {
		DelayQueueEngine engine = engine(1);
		create(engine, daily("a"));
		this.engines.template().delete(Objects.requireNonNull(this.engines.template().keys(this.prefix + ":*")));
		create(engine, daily("a"));
		assertThat(mark()).isNotNull();
	}

	@Test
	void anOwnerMarksAQueueAgainOfWhichOnlyTheMarkWasLost() {
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
		create(engine, daily("a"));
		await().until(() -> engine.directory().recurring().contains(QUEUE));
		this.engines.template().delete(this.prefix + ":{members}:epochs");
		await().until(() -> !engine.directory().recurring().contains(QUEUE));
		engine.directory().recurring().mark(QUEUE);
		assertThat(mark()).isNotNull();
	}

	private boolean removeMark(DelayQueueEngine engine, Predicate<Partition> isUsed) {
		RecurringSteps steps = new RecurringSteps(calls());
		return engine.directory()
			.recurring()
			.removeIfUnused(epochs(engine), (partition) -> steps.hasDefinitions(partition) || isUsed.test(partition));
	}

	private Object mark() {
		return this.engines.template().opsForHash().get(this.prefix + ":{members}:epochs", "recurring:" + QUEUE);
	}

	@Test
	void anOccurrenceCostsTwoCallsInsteadOfTheOneThatSchedulesAMessage() {
		DelayQueueEngine engine = engine(1);
		consume(engine, 1);
		create(engine, everySecond("a"));
		await().until(() -> !handledOf("a").isEmpty());
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			int before = handledOf("a").size();
			await().until(() -> handledOf("a").size() >= before + 5);
			int occurrences = handledOf("a").size() - before;
			assertThat(log.commands()
				.stream()
				.filter((command) -> command.arguments().toString().contains(this.prefix + ":{digests:0}:recurrences")))
				.hasSizeLessThanOrEqualTo(2 * (occurrences + 1));
		}
	}

	@Test
	void badInputIsRefusedByName() {
		DelayQueueEngine engine = engine(1);
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

	private static RecurringSchedule everySecond(String key) {
		return RecurringSchedule.to(QUEUE, key).payload("p").every(Duration.ofSeconds(1));
	}

	private static RecurringSchedule daily(String key) {
		return RecurringSchedule.to(QUEUE, key).payload("p").cron("0 0 3 * * *", "UTC");
	}

	private static RecurringResult create(DelayQueueEngine engine, RecurringSchedule schedule) {
		return engine.recurring().createOrReplace(schedule);
	}

	private static RecurringSnapshot get(DelayQueueEngine engine, String key) {
		return engine.recurring().get(QUEUE, key).orElseThrow();
	}

	private List<Instant> handledOf(String key) {
		return this.handled.stream()
			.filter((id) -> id.startsWith(key + "@"))
			.map((id) -> Instant.parse(id.substring(key.length() + 1)))
			.toList();
	}

	private long missed(String key) {
		return this.missed.getOrDefault(key, new AtomicLong()).get();
	}

	private long skipped(String key) {
		return this.skipped.getOrDefault(key, new AtomicLong()).get();
	}

	private void write(String key, String definition) {
		this.engines.template()
			.execute((RedisCallback<Boolean>) (connection) -> connection.hashCommands()
				.hSet((this.prefix + ":{digests:0}:recurring").getBytes(StandardCharsets.UTF_8),
						key.getBytes(StandardCharsets.UTF_8), definition.getBytes(StandardCharsets.UTF_8)));
	}

	private void dueAt(String key, Instant instant) {
		this.engines.template()
			.opsForZSet()
			.add(this.prefix + ":{digests:0}:recurrences", key.getBytes(StandardCharsets.UTF_8),
					instant.toEpochMilli());
	}

	/** The ids of all messages. */
	private Set<String> ids() {
		return this.engines.template()
			.keys(this.prefix + ":*:messages")
			.stream()
			.flatMap((key) -> fields(key).stream())
			.collect(Collectors.toSet());
	}

	private Set<String> fields(String key) {
		Set<byte[]> fields = this.engines.template()
			.execute((RedisCallback<Set<byte[]>>) (connection) -> connection.hashCommands()
				.hKeys(key.getBytes(StandardCharsets.UTF_8)));
		return Objects.requireNonNull(fields)
			.stream()
			.map((field) -> new String(field, StandardCharsets.UTF_8))
			.collect(Collectors.toSet());
	}

	/** The number of fields that a hash has in all partitions of the first epoch. */
	private long count(String suffix, int partitions) {
		return IntStream.range(0, partitions)
			.mapToLong((n) -> fields(this.prefix + ":{digests:" + n + "}:" + suffix).size())
			.sum();
	}

	private static Epochs epochs(DelayQueueEngine engine) {
		return engine.directory().read(QUEUE).orElseThrow();
	}

	private QueueConsumer consume(DelayQueueEngine engine, int partitions) {
		QueueConsumer consumer = engine.consumers().create(settings(QUEUE, partitions), (delivery) -> {
			this.handled.add(delivery.id());
			return null;
		}, null, null);
		return this.engines.start(consumer);
	}

	private DelayQueueEngine engine(int partitions) {
		return build((name) -> settings(name, partitions));
	}

	private DelayQueueEngine build(Queues queues) {
		DelayQueueEngine engine = DelayQueueEngine.builder(this.engines.template(), queues)
			.keyPrefix(this.prefix)
			.observers(List.of(new QueueObserver() {

				@Override
				public void missed(String queue, String key, long instants) {
					add(RecurringIntegrationTests.this.missed, key, instants);
				}

				@Override
				public void skipped(String queue, String key, long instants) {
					add(RecurringIntegrationTests.this.skipped, key, instants);
				}

			}))
			.build();
		this.engines.add(engine);
		return engine;
	}

	private static QueueSettings settings(String queue, int partitions) {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, partitions, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(1), Duration.ofSeconds(1), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

	private static void add(Map<String, AtomicLong> counts, String key, long instants) {
		counts.computeIfAbsent(key, (missing) -> new AtomicLong()).addAndGet(instants);
	}

}
