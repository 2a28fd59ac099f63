package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.delayqueue.CancelResult;
import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetterPage;
import io.delayqueue.DeadLetterSelection;
import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.DuplicatePolicy.Kind;
import io.delayqueue.GroupMessage;
import io.delayqueue.GroupPage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.PurgeResult;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.store.Partition;
import io.delayqueue.store.Partitioner;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls of two processes on queues of several partitions, against what each
 * partition should hold: ids and groups are found where they were put, every message of
 * many is answered for itself, and what goes through all partitions meets each message
 * once. The system properties {@value #SEED} and {@value #STEPS} repeat a run and make it
 * longer.
 */
class PartitionSequencesIntegrationTests {

	private static final String SEED = "delayqueue.test.partitions.seed";

	private static final String STEPS = "delayqueue.test.partitions.steps";

	private static final Map<String, Integer> QUEUES = Map.of("two", 2, "three", 3, "seven", 7);

	private static final List<String> NAMES = List.of("two", "three", "seven");

	private static final List<DuplicatePolicy> POLICIES = List.of(DuplicatePolicy.keep(), DuplicatePolicy.replace(),
			DuplicatePolicy.fail());

	private static final List<String> IDS = List.of("a", "b", "c", "d", "订单");

	private static final List<String> GROUPS = List.of("g", "h", "用户", "g 2");

	private static final int QUOTA = 3;

	private static final Instant LATER = Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MILLIS);

	@Test
	void everyCallFindsWhatIsInItsPartition() {
		run(Integer.getInteger(STEPS, 100));
	}

	@Tag("slow")
	@Test
	void thousandsOfCallsFindWhatIsInTheirPartition() {
		run(Integer.getInteger(STEPS, 4000));
	}

	private static void run(int steps) {
		long seed = Long.getLong(SEED, System.nanoTime());
		System.out.println("Partitions: -D" + SEED + "=" + seed + ", " + steps + " steps");
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())
					.with("delayqueue.defaults.max-attempts=1")
					.with("delayqueue.defaults.group.quota=" + QUOTA)
					.with("delayqueue.defaults.done-window=10m")) {
			QUEUES.forEach((queue, count) -> applications.with("delayqueue.queues." + queue + ".partitions=" + count));
			Sequence sequence = new Sequence(redis, applications, new Random(seed));
			try {
				for (int i = 0; i < steps; i++) {
					sequence.step();
				}
			}
			catch (AssertionError | RuntimeException failure) {
				throw new AssertionError(
						"-D" + SEED + "=" + seed + "\n" + String.join("\n", sequence.log) + "\n" + failure.getMessage(),
						failure);
			}
		}
	}

	/** What is due at once dies, while they are broken. */
	static class Mortals {

		private volatile boolean broken = true;

		@DelayedListener(queue = "two")
		void two(String payload) {
			handle(payload);
		}

		@DelayedListener(queue = "three")
		void three(String payload) {
			handle(payload);
		}

		@DelayedListener(queue = "seven")
		void seven(String payload) {
			handle(payload);
		}

		private void handle(String payload) {
			if (this.broken) {
				throw new IllegalStateException(payload + " dies");
			}
		}

	}

	/** A place that one message can have. */
	private record Place(Partition partition, String id) {

		static Place of(ScheduleRequest request, String id) {
			int number = Partitioner.of(id, request.group().orElse(null), QUEUES.getOrDefault(request.queue(), 1));
			return new Place(new Partition(request.queue(), number), id);
		}

	}

	/** What should be in a place; the due time of what has died is not told. */
	private record Held(@Nullable String group, Instant dueAt, boolean dead) {

		static Held of(ScheduleRequest request) {
			return new Held(request.group().orElse(null), request.dueAt().orElse(LATER), false);
		}

		Held died() {
			return new Held(this.group, this.dueAt, true);
		}

		Held moved(Instant due) {
			return this.dead ? this : new Held(this.group, due, false);
		}

	}

	private static final class Sequence {

		private final List<String> log = new ArrayList<>();

		private final Map<Place, Held> held = new HashMap<>();

		/** Handled within the de-duplication window. */
		private final Set<Place> done = new HashSet<>();

		private final RedisServer redis;

		private final String prefix;

		private final List<ConfigurableApplicationContext> processes;

		private final Mortals mortals;

		private final Random random;

		private int payloads;

		Sequence(RedisServer redis, TestApplication applications, Random random) {
			this.redis = redis;
			this.prefix = applications.prefix();
			this.processes = List.of(applications.start(Mortals.class), applications.start());
			this.mortals = this.processes.get(0).getBean(Mortals.class);
			this.random = random;
			NAMES.forEach((queue) -> Awaitility.await()
				.until(() -> redis.call("HEXISTS", this.prefix + ":queues", queue), Long.valueOf(1)::equals));
		}

		void step() {
			String queue = pick(NAMES);
			switch (this.random.nextInt(16)) {
				case 0, 1, 2, 3 -> scheduleAll(requests(1 + this.random.nextInt(8)), null);
				case 4, 5, 6 -> scheduleAll(dying(1 + this.random.nextInt(4)), null);
				case 7 -> drain(queue);
				case 8 -> cancel(key(queue));
				case 9 -> reschedule(key(queue), LATER.plusMillis(this.random.nextInt(5)));
				case 10 -> cancelGroup(queue, pick(GROUPS));
				case 11, 12 -> redrive(key(queue), this.random.nextBoolean());
				case 13 -> discard(key(queue));
				case 14 -> redriveAll(queue, this.random.nextBoolean());
				default -> {
					if (this.random.nextBoolean()) {
						discardSome(queue, 1 + this.random.nextInt(3));
					}
					else {
						purge(queue, this.random.nextBoolean());
					}
				}
			}
			audit(queue);
			look(key(queue));
			lookAtGroup(queue, pick(GROUPS));
			lookAtDeadLetters(queue);
		}

		private List<ScheduleRequest> requests(int count) {
			return Stream.generate(() -> {
				ScheduleRequest request = request().dueAt(LATER.plusMillis(this.random.nextInt(5)));
				return (this.random.nextInt(6) == 0) ? request : request.id(pick(IDS)).onDuplicate(pick(POLICIES));
			}).limit(count).toList();
		}

		/**
		 * Of each id one: what comes of it when the first has died is another question.
		 */
		private List<ScheduleRequest> dying(int count) {
			return IDS.stream()
				.limit(count)
				.map((id) -> this.random.nextInt(3) == 0 ? request() : request().id(id))
				.map((request) -> request.delay(Duration.ZERO))
				.toList();
		}

		private ScheduleRequest request() {
			ScheduleRequest request = ScheduleRequest.to(pick(NAMES)).payload("payload " + ++this.payloads);
			return this.random.nextBoolean() ? request.group(pick(GROUPS)) : request;
		}

		/**
		 * One of a few ids, or of what is there; of any group, of its own, or of another.
		 */
		private MessageKey key(String queue) {
			List<Place> there = of(queue).sorted(Comparator.comparing(Place::id)).toList();
			if (there.isEmpty() || this.random.nextInt(4) == 0) {
				return MessageKey.of(queue, pick(IDS));
			}
			Place place = pick(there);
			return switch (this.random.nextInt(3)) {
				case 0 -> MessageKey.of(queue, place.id());
				case 1 -> new MessageKey(queue, place.id(), held(place).group());
				default -> MessageKey.of(queue, place.id()).inGroup(pick(GROUPS));
			};
		}

		private void scheduleAll(List<ScheduleRequest> requests, @Nullable String draining) {
			tell("schedule " + requests.stream()
				.map((one) -> one.queue() + "/" + one.group().orElse("") + "/" + one.id().orElse("") + " "
						+ one.onDuplicate() + (one.delay().isPresent() ? " dies" : ""))
				.toList());
			List<ScheduleAnswer> answers = queues().scheduleAll(requests);
			assertThat(answers).hasSameSizeAs(requests);
			List<Place> dying = new ArrayList<>();
			for (int i = 0; i < answers.size(); i++) {
				ScheduleRequest request = requests.get(i);
				ScheduleAnswer answer = answers.get(i);
				assertThat(answer.id()).isEqualTo(request.id().orElse(answer.id()));
				Place place = Place.of(request, answer.id());
				assertThat(said(answer)).as("answer %d", i).isEqualTo(expected(request, place, draining));
				if (answer.isAccepted()) {
					this.held.put(place, Held.of(request));
					if (request.delay().isPresent()) {
						dying.add(place);
					}
				}
			}
			dying.forEach(this::awaitDead);
		}

		private static Object said(ScheduleAnswer answer) {
			return (answer.result() != null) ? answer.result().outcome()
					: Objects.requireNonNull(answer.failure()).getClass();
		}

		/** An outcome, or the class of a failure. */
		private Object expected(ScheduleRequest request, Place place, @Nullable String draining) {
			Held known = this.held.get(place);
			Kind kind = request.onDuplicate().kind();
			String group = request.group().orElse(null);
			if (known != null && !Objects.equals(known.group(), group)) {
				return InvalidMessageException.class;
			}
			if (known != null && kind == Kind.KEEP) {
				return known.dead() ? Outcome.DEAD_LETTER : Outcome.DUPLICATE;
			}
			boolean finished = known == null && kind != Kind.REPLACE && this.done.contains(place);
			if (finished && kind == Kind.KEEP) {
				return Outcome.DONE;
			}
			if (finished || (known != null && kind == Kind.FAIL)) {
				return DuplicateMessageException.class;
			}
			if (request.queue().equals(draining)) {
				return QueueDrainingException.class;
			}
			boolean needsRoom = group != null && (known == null || known.dead());
			if (needsRoom && living(request.queue(), group).count() >= QUOTA) {
				return QuotaExceededException.class;
			}
			return (known != null) ? Outcome.REPLACED : Outcome.CREATED;
		}

		private void drain(String queue) {
			tell("drain " + queue);
			admin().drain(queue);
			assertThat(admin().status(queue).isDraining()).isTrue();
			scheduleAll(requests(5), queue);
			admin().reopen(queue);
		}

		private void cancel(MessageKey key) {
			tell("cancel " + key);
			Optional<Place> place = first(key, (one) -> true);
			assertThat(queues().cancel(key)).isEqualTo(place.map(this::held)
				.map((one) -> one.dead() ? CancelResult.DEAD_LETTER : CancelResult.CANCELLED)
				.orElse(CancelResult.NOT_FOUND));
			place.ifPresent(this.held::remove);
		}

		private void reschedule(MessageKey key, Instant dueAt) {
			tell("reschedule " + key);
			Optional<Place> place = first(key, (one) -> true);
			assertThat(queues().reschedule(key, dueAt)).isEqualTo(place.map(this::held)
				.map((one) -> one.dead() ? RescheduleResult.DEAD_LETTER : RescheduleResult.RESCHEDULED)
				.orElse(RescheduleResult.NOT_FOUND));
			place.ifPresent((there) -> this.held.computeIfPresent(there, (same, one) -> one.moved(dueAt)));
		}

		private void cancelGroup(String queue, String group) {
			tell("cancel group " + group + " of " + queue);
			List<Place> living = living(queue, group).toList();
			assertThat(queues().cancelGroup(queue, group).total()).isEqualTo(living.size());
			living.forEach(this.held::remove);
		}

		private void redrive(MessageKey key, boolean heals) {
			tell("redrive " + key + (heals ? ", healed" : ""));
			Optional<Place> dead = first(key, Held::dead);
			boolean full = dead.map((place) -> held(place).group())
				.filter((group) -> living(key.queue(), group).count() >= QUOTA)
				.isPresent();
			this.mortals.broken = !heals;
			try {
				assertThat(admin().redrive(key)).isEqualTo(dead.isPresent());
				assertThat(full).as("full").isFalse();
				dead.ifPresent(heals ? this::awaitDone : this::awaitDead);
			}
			catch (QuotaExceededException refused) {
				assertThat(full).as("full").isTrue();
			}
			this.mortals.broken = true;
		}

		/**
		 * Of a group, those that come first have its room; nobody says which those are.
		 */
		private void redriveAll(String queue, boolean heals) {
			tell("redrive all of " + queue + (heals ? ", healed" : ""));
			List<Place> dead = of(queue).filter((place) -> held(place).dead()).toList();
			Map<String, Integer> ofGroups = new HashMap<>();
			dead.forEach(
					(place) -> ofGroups.merge(Objects.requireNonNullElse(held(place).group(), ""), 1, Integer::sum));
			int expected = ofGroups.entrySet()
				.stream()
				.mapToInt((group) -> group.getKey().isEmpty() ? group.getValue()
						: Math.min(group.getValue(), QUOTA - (int) living(queue, group.getKey()).count()))
				.sum();
			this.mortals.broken = !heals;
			assertThat(admin().redrive(DeadLetterSelection.of(queue))).isEqualTo(expected);
			if (heals) {
				await("as many are done")
					.until(() -> dead.stream().filter((place) -> !isStored(place)).count() == expected);
				dead.stream().filter((place) -> !isStored(place)).forEach(this::awaitDone);
			}
			dead.stream().filter(this.held::containsKey).forEach(this::awaitDead);
			this.mortals.broken = true;
		}

		private void discard(MessageKey key) {
			tell("discard " + key);
			Optional<Place> dead = first(key, Held::dead);
			assertThat(admin().discard(key)).isEqualTo(dead.isPresent());
			dead.ifPresent(this.held::remove);
		}

		private void discardSome(String queue, int most) {
			tell("discard " + most + " of " + queue);
			List<Place> dead = of(queue).filter((place) -> held(place).dead()).toList();
			assertThat(admin().discard(DeadLetterSelection.of(queue).atMost(most)))
				.isEqualTo(Math.min(most, dead.size()));
			List<Place> gone = dead.stream().filter((place) -> !isStored(place)).toList();
			assertThat(gone).hasSize(Math.min(most, dead.size()));
			gone.forEach(this.held::remove);
		}

		private void purge(String queue, boolean deadLetters) {
			tell("purge " + queue + (deadLetters ? " with dead letters" : ""));
			List<Place> purged = of(queue).filter((place) -> deadLetters || !held(place).dead()).toList();
			long dead = purged.stream().filter((place) -> held(place).dead()).count();
			assertThat(deadLetters ? admin().purgeWithDeadLetters(queue) : admin().purge(queue))
				.isEqualTo(new PurgeResult(queue, purged.size() - dead, 0, dead));
			purged.forEach(this.held::remove);
		}

		/** Every message is in its partition and in no other. */
		private void audit(String queue) {
			for (int number = 0; number < QUEUES.getOrDefault(queue, 1); number++) {
				Partition partition = new Partition(queue, number);
				List<String> expected = of(queue).filter((place) -> place.partition().equals(partition))
					.map(Place::id)
					.toList();
				assertThat((List<?>) ask("HKEYS", partition, "messages")).as(partition.toString())
					.map(Object::toString)
					.containsExactlyInAnyOrderElementsOf(expected);
			}
		}

		private void look(MessageKey key) {
			Optional<Held> expected = first(key, (one) -> true).map(this::held);
			Optional<MessageSnapshot> found = queues().find(key);
			assertThat(found.map(MessageSnapshot::group)).as("group of %s", key).isEqualTo(expected.map(Held::group));
			assertThat(found.map((one) -> one.state() == MessageState.DEAD)).as("%s", key)
				.isEqualTo(expected.map(Held::dead));
			if (expected.isPresent() && !expected.get().dead()) {
				assertThat(found.map(MessageSnapshot::dueAt)).contains(expected.get().dueAt());
			}
		}

		private void lookAtGroup(String queue, String group) {
			List<String> expected = living(queue, group)
				.sorted(Comparator.<Place, Instant>comparing((place) -> held(place).dueAt()).thenComparing(Place::id))
				.map(Place::id)
				.toList();
			assertThat(queues().countGroup(queue, group)).isEqualTo(expected.size());
			List<String> listed = new ArrayList<>();
			Optional<String> next = Optional.empty();
			do {
				GroupPage page = queues().listGroup(queue, group, next.orElse(null), 1 + this.random.nextInt(3));
				listed.addAll(page.messages().stream().map(GroupMessage::id).toList());
				next = page.next();
			}
			while (next.isPresent());
			assertThat(listed).as("group %s of %s", group, queue).isEqualTo(expected);
		}

		private void lookAtDeadLetters(String queue) {
			List<String> listed = new ArrayList<>();
			String next = null;
			do {
				DeadLetterPage page = admin().deadLetters(queue, next, 1 + this.random.nextInt(3));
				listed.addAll(page.deadLetters().stream().map(DeadLetter::id).toList());
				next = page.next();
			}
			while (next != null);
			assertThat(listed).as("dead letters of %s", queue)
				.containsExactlyInAnyOrderElementsOf(
						of(queue).filter((place) -> held(place).dead()).map(Place::id).toList());
		}

		private void awaitDead(Place place) {
			await(place + " dies").until(() -> ask("ZSCORE", place.partition(), "dead", place.id()) != null);
			this.held.computeIfPresent(place, (same, one) -> one.died());
		}

		private void awaitDone(Place place) {
			await(place + " is done").until(() -> !isStored(place));
			this.held.remove(place);
			this.done.add(place);
		}

		private static ConditionFactory await(String what) {
			return Awaitility.await(what).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
		}

		private boolean isStored(Place place) {
			return Long.valueOf(1).equals(ask("HEXISTS", place.partition(), "messages", place.id()));
		}

		private @Nullable Object ask(String command, Partition partition, String key, String... more) {
			List<String> words = new ArrayList<>(
					List.of(command, this.prefix + ":{" + partition.queue() + ":" + partition.number() + "}:" + key));
			words.addAll(List.of(more));
			return this.redis.call(words.toArray(String[]::new));
		}

		/**
		 * The one that is meant: where several groups have it, in the likeliest place.
		 */
		private Optional<Place> first(MessageKey key, Predicate<Held> which) {
			return Partitioner.candidates(key, QUEUES.getOrDefault(key.queue(), 1))
				.stream()
				.map((partition) -> new Place(partition, key.id()))
				.filter((place) -> this.held.containsKey(place) && which.test(held(place)))
				.filter((place) -> key.group() == null || key.group().equals(held(place).group()))
				.findFirst();
		}

		private Stream<Place> of(String queue) {
			return List.copyOf(this.held.keySet()).stream().filter((place) -> place.partition().queue().equals(queue));
		}

		private Stream<Place> living(String queue, String group) {
			return of(queue).filter((place) -> !held(place).dead() && group.equals(held(place).group()));
		}

		private Held held(Place place) {
			return Objects.requireNonNull(this.held.get(place));
		}

		private void tell(String step) {
			this.log.add(step);
		}

		/** As one process or the other sees them. */
		private DelayQueueOperations queues() {
			return pick(this.processes).getBean(DelayQueueOperations.class);
		}

		private DelayQueueAdmin admin() {
			return pick(this.processes).getBean(DelayQueueAdmin.class);
		}

		private <T> T pick(List<T> list) {
			return list.get(this.random.nextInt(list.size()));
		}

	}

}
