package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import io.delayqueue.CancelResult;
import io.delayqueue.DeadLetterSelection;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.PurgeResult;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.PartitionOracle.Held;
import io.delayqueue.journey.PartitionOracle.Place;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import static io.delayqueue.journey.PartitionOracle.LATER;
import static io.delayqueue.journey.PartitionOracle.QUOTA;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Makes random calls of two processes, and asks the oracle about each: whether its answer
 * is right, and whether each partition holds what it should.
 */
final class PartitionSequence {

	private static final List<String> NAMES = List.of("two", "three", "seven");

	private static final List<DuplicatePolicy> POLICIES = List.of(DuplicatePolicy.keep(), DuplicatePolicy.replace(),
			DuplicatePolicy.fail());

	private static final List<String> IDS = List.of("a", "b", "c", "d", "订单");

	private static final List<String> GROUPS = List.of("g", "h", "用户", "g 2");

	private final List<String> log = new ArrayList<>();

	private final PartitionOracle oracle = new PartitionOracle();

	private final TwoProcesses processes;

	private final PartitionAudit audit;

	private final Mortals mortals;

	private final Random random;

	private int payloads;

	PartitionSequence(RedisServer redis, TestApplication applications, Random random) {
		this.processes = new TwoProcesses(redis, applications, random);
		this.audit = new PartitionAudit(this.processes, this.oracle, random);
		this.mortals = this.processes.mortals();
		this.random = random;
	}

	/** What was done, a line for each step. */
	List<String> log() {
		return this.log;
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
		this.audit.lookAtPartitions(queue);
		this.audit.look(key(queue));
		this.audit.lookAtGroup(queue, pick(GROUPS));
		this.audit.lookAtDeadLetters(queue);
	}

	private List<ScheduleRequest> requests(int count) {
		return Stream.generate(() -> {
			ScheduleRequest request = request().dueAt(LATER.plusMillis(this.random.nextInt(5)));
			return (this.random.nextInt(3) > 0) ? request : request.id(pick(IDS)).onDuplicate(pick(POLICIES));
		}).limit(count).toList();
	}

	/**
	 * Of each id one: what comes of it when the first has died is another question.
	 */
	private List<ScheduleRequest> dying(int count) {
		return IDS.stream()
			.limit(count)
			.map((id) -> this.random.nextInt(3) > 0 ? request() : request().id(id))
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
		List<Place> there = this.oracle.of(queue).sorted(Comparator.comparing(Place::id)).toList();
		if (there.isEmpty() || this.random.nextInt(4) == 0) {
			return MessageKey.of(queue, pick(IDS));
		}
		Place place = pick(there);
		return switch (this.random.nextInt(3)) {
			case 0 -> MessageKey.of(queue, place.id());
			case 1 -> new MessageKey(queue, place.id(), this.oracle.held(place).group());
			default -> MessageKey.of(queue, place.id()).inGroup(pick(GROUPS));
		};
	}

	private void scheduleAll(List<ScheduleRequest> requests, @Nullable String draining) {
		tell("schedule " + requests.stream()
			.map((one) -> one.queue() + "/" + one.group().orElse("") + "/" + one.id().orElse("") + " "
					+ one.onDuplicate() + (one.delay().isPresent() ? " dies" : ""))
			.toList());
		List<ScheduleAnswer> answers = this.processes.queues().scheduleAll(requests);
		assertThat(answers).hasSameSizeAs(requests);
		List<Place> dying = new ArrayList<>();
		for (int i = 0; i < answers.size(); i++) {
			ScheduleRequest request = requests.get(i);
			ScheduleAnswer answer = answers.get(i);
			assertThat(answer.id()).isEqualTo(request.id().orElse(answer.id()));
			Place place = Place.of(request, answer.id());
			assertThat(said(answer)).as("answer %d", i).isEqualTo(this.oracle.expected(request, place, draining));
			if (answer.isAccepted()) {
				this.oracle.accepted(place, request);
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

	private void drain(String queue) {
		tell("drain " + queue);
		this.processes.admin().drain(queue);
		assertThat(this.processes.admin().status(queue).isDraining()).isTrue();
		scheduleAll(requests(5), queue);
		this.processes.admin().reopen(queue);
	}

	private void cancel(MessageKey key) {
		tell("cancel " + key);
		Optional<Place> place = this.oracle.first(key, (one) -> true);
		assertThat(this.processes.queues().cancel(key)).isEqualTo(place.map(this.oracle::held)
			.map((one) -> one.dead() ? CancelResult.DEAD_LETTER : CancelResult.CANCELLED)
			.orElse(CancelResult.NOT_FOUND));
		place.ifPresent(this.oracle::removed);
	}

	private void reschedule(MessageKey key, Instant dueAt) {
		tell("reschedule " + key);
		Optional<Place> place = this.oracle.first(key, (one) -> true);
		assertThat(this.processes.queues().reschedule(key, dueAt)).isEqualTo(place.map(this.oracle::held)
			.map((one) -> one.dead() ? RescheduleResult.DEAD_LETTER : RescheduleResult.RESCHEDULED)
			.orElse(RescheduleResult.NOT_FOUND));
		place.ifPresent((there) -> this.oracle.moved(there, dueAt));
	}

	private void cancelGroup(String queue, String group) {
		tell("cancel group " + group + " of " + queue);
		List<Place> living = this.oracle.living(queue, group).toList();
		assertThat(this.processes.queues().cancelGroup(queue, group).total()).isEqualTo(living.size());
		living.forEach(this.oracle::removed);
	}

	private void redrive(MessageKey key, boolean heals) {
		tell("redrive " + key + (heals ? ", healed" : ""));
		Optional<Place> dead = this.oracle.first(key, Held::dead);
		boolean full = dead.map((place) -> this.oracle.held(place).group())
			.filter((group) -> this.oracle.living(key.queue(), group).count() >= QUOTA)
			.isPresent();
		this.mortals.broken = !heals;
		try {
			assertThat(this.processes.admin().redrive(key)).isEqualTo(dead.isPresent());
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
		List<Place> dead = this.oracle.of(queue).filter((place) -> this.oracle.held(place).dead()).toList();
		Map<String, Integer> ofGroups = new HashMap<>();
		dead.forEach((place) -> ofGroups.merge(Objects.requireNonNullElse(this.oracle.held(place).group(), ""), 1,
				Integer::sum));
		int expected = ofGroups.entrySet()
			.stream()
			.mapToInt((group) -> group.getKey().isEmpty() ? group.getValue()
					: Math.min(group.getValue(), QUOTA - (int) this.oracle.living(queue, group.getKey()).count()))
			.sum();
		this.mortals.broken = !heals;
		assertThat(this.processes.admin().redrive(DeadLetterSelection.of(queue))).isEqualTo(expected);
		if (heals) {
			await("as many are done")
				.until(() -> dead.stream().filter((place) -> !this.processes.isStored(place)).count() == expected);
			dead.stream().filter((place) -> !this.processes.isStored(place)).forEach(this::awaitDone);
		}
		dead.stream().filter(this.oracle::holds).forEach(this::awaitDead);
		this.mortals.broken = true;
	}

	private void discard(MessageKey key) {
		tell("discard " + key);
		Optional<Place> dead = this.oracle.first(key, Held::dead);
		assertThat(this.processes.admin().discard(key)).isEqualTo(dead.isPresent());
		dead.ifPresent(this.oracle::removed);
	}

	private void discardSome(String queue, int most) {
		tell("discard " + most + " of " + queue);
		List<Place> dead = this.oracle.of(queue).filter((place) -> this.oracle.held(place).dead()).toList();
		assertThat(this.processes.admin().discard(DeadLetterSelection.of(queue).atMost(most)))
			.isEqualTo(Math.min(most, dead.size()));
		List<Place> gone = dead.stream().filter((place) -> !this.processes.isStored(place)).toList();
		assertThat(gone).hasSize(Math.min(most, dead.size()));
		gone.forEach(this.oracle::removed);
	}

	private void purge(String queue, boolean deadLetters) {
		tell("purge " + queue + (deadLetters ? " with dead letters" : ""));
		List<Place> purged = this.oracle.of(queue)
			.filter((place) -> deadLetters || !this.oracle.held(place).dead())
			.toList();
		long dead = purged.stream().filter((place) -> this.oracle.held(place).dead()).count();
		assertThat(
				deadLetters ? this.processes.admin().purgeWithDeadLetters(queue) : this.processes.admin().purge(queue))
			.isEqualTo(new PurgeResult(queue, purged.size() - dead, 0, dead));
		purged.forEach(this.oracle::removed);
	}

	private void awaitDead(Place place) {
		await(place + " dies").until(() -> this.processes.ask("ZSCORE", place.partition(), "dead", place.id()) != null);
		this.oracle.died(place);
	}

	private void awaitDone(Place place) {
		await(place + " is done").until(() -> !this.processes.isStored(place));
		this.oracle.finished(place);
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
	}

	private void tell(String step) {
		this.log.add(step);
	}

	private <T> T pick(List<T> list) {
		return list.get(this.random.nextInt(list.size()));
	}

}
