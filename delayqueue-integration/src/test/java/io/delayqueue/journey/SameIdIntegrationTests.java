package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.delayqueue.BatchFailedException;
import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageEnd.How;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.MissedPolicy;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.record.CallToken;
import io.delayqueue.schedule.PreparedCalls;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages of several groups, and one without a group, that all have the same id. */
@Tag("slow")
class SameIdIntegrationTests {

	private static final String QUEUE = "reminders";

	private static final String ID = "due-2026-11-28";

	private static final Duration LATER = Duration.ofHours(1);

	private static final List<@Nullable String> GROUPS = Arrays.asList(null, "alice", "bob", "carol");

	private final RedisServer redis = RedisServer.builder().start();

	private final TestApplication applications = new TestApplication(this.redis.uri());

	@AfterEach
	void stop() {
		this.applications.close();
		this.redis.close();
	}

	private ConfigurableApplicationContext start(int partitions, Class<?>... beans) {
		return this.applications.with("delayqueue.queues.reminders.partitions=" + partitions)
			.with("delayqueue.queues.reminders.history.for=1d")
			.with("delayqueue.queues.reminders.max-attempts=1")
			.with("delayqueue.sweeper.interval=100ms")
			.start(beans);
	}

	private static MessageKey key(@Nullable String group) {
		return new MessageKey(QUEUE, ID, group);
	}

	private static ScheduleRequest request(@Nullable String group, Duration delay) {
		ScheduleRequest request = ScheduleRequest.to(QUEUE).id(ID).payload("to " + group).delay(delay);
		return (group != null) ? request.group(group) : request;
	}

	private static void scheduleAll(DelayQueueOperations queue, Duration delay) {
		assertThat(queue.scheduleAll(GROUPS.stream().map((group) -> request(group, delay)).toList()))
			.allSatisfy((answer) -> assertThat(answer.failure()).isNull())
			.extracting(ScheduleAnswer::result)
			.allSatisfy((result) -> assertThat(result.outcome()).isEqualTo(Outcome.CREATED));
	}

	private static List<@Nullable String> stored(DelayQueueOperations queue) {
		return GROUPS.stream()
			.filter((group) -> queue.find(key(group))
				.filter((found) -> found.state() != MessageState.FINISHED)
				.filter((found) -> Objects.equals(found.group(), group))
				.isPresent())
			.toList();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void eachWaitingMessageIsChangedAlone(int partitions) {
		DelayQueueOperations queue = start(partitions).getBean(DelayQueueOperations.class);
		scheduleAll(queue, LATER);

		assertThat(stored(queue)).isEqualTo(GROUPS);
		assertThat(queue.schedule(request("bob", LATER)).outcome()).isEqualTo(Outcome.DUPLICATE);
		Instant later = Instant.now().plus(LATER).plus(LATER).truncatedTo(ChronoUnit.MILLIS);
		assertThat(queue.reschedule(key("alice"), later)).isEqualTo(RescheduleResult.RESCHEDULED);
		assertThat(queue.schedule(request("carol", LATER).onDuplicate(DuplicatePolicy.replace())).outcome())
			.isEqualTo(Outcome.REPLACED);
		assertThat(GROUPS.stream().map((group) -> queue.find(key(group)).orElseThrow().dueAt().equals(later)))
			.containsExactly(false, true, false, false);

		assertThat(queue.find(MessageKey.of(QUEUE, ID)).map(MessageSnapshot::group)).isEmpty();
		assertThat(queue.cancel(MessageKey.of(QUEUE, ID))).isEqualTo(CancelResult.CANCELLED);
		assertThat(stored(queue)).containsExactly("alice", "bob", "carol");
		assertThat(queue.cancel(key("bob"))).isEqualTo(CancelResult.CANCELLED);
		assertThat(queue.cancel(key("bob"))).isEqualTo(CancelResult.NOT_FOUND);
		assertThat(stored(queue)).containsExactly("alice", "carol");
		assertThat(queue.cancelGroup(QUEUE, "alice").cancelled()).isOne();
		assertThat(queue.find(MessageKey.of(QUEUE, ID)).orElseThrow().group()).isEqualTo("carol");
		assertThat(queue.reschedule(MessageKey.of(QUEUE, ID), LATER)).isEqualTo(RescheduleResult.RESCHEDULED);
		assertThat(queue.cancel(MessageKey.of(QUEUE, ID))).isEqualTo(CancelResult.CANCELLED);
		assertThat(stored(queue)).isEmpty();
		assertThat(keysOf("messages", "groups", "grouped")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void eachMessageEndsAlone(int partitions) {
		ConfigurableApplicationContext application = start(partitions, Reminders.class);
		DelayQueueOperations queue = application.getBean(DelayQueueOperations.class);
		DelayQueueAdmin admin = application.getBean(DelayQueueAdmin.class);
		Reminders reminders = application.getBean(Reminders.class);
		reminders.failing.addAll(List.of("alice", "bob"));
		scheduleAll(queue, Duration.ZERO);

		Awaitility.await().until(() -> admin.deadLetters(QUEUE, null, 10).deadLetters().size() == 2);
		Awaitility.await().until(() -> ended(admin).size() == 4);
		assertThat(admin.deadLetters(QUEUE, null, 10).deadLetters()).extracting(DeadLetter::group)
			.containsExactlyInAnyOrder("alice", "bob");
		assertThat(ended(admin)).containsEntry("null", How.ACKNOWLEDGED)
			.containsEntry("carol", How.ACKNOWLEDGED)
			.containsEntry("bob", How.DEAD_LETTERED);
		assertThat(queue.schedule(request("carol", LATER)).outcome()).isEqualTo(Outcome.DONE);
		assertThat(queue.schedule(request("alice", LATER)).outcome()).isEqualTo(Outcome.DEAD_LETTER);
		assertThat(queue.schedule(request("dave", LATER)).outcome()).isEqualTo(Outcome.CREATED);

		assertThat(admin.discard(key("carol"))).isFalse();
		assertThat(admin.discard(key("bob"))).isTrue();
		reminders.failing.clear();
		assertThat(admin.redrive(MessageKey.of(QUEUE, ID))).isTrue();
		Awaitility.await().until(() -> How.ACKNOWLEDGED == ended(admin).get("alice"));
		assertThat(admin.redrive(MessageKey.of(QUEUE, ID))).isFalse();
		assertThat(queue.find(key("bob")).orElseThrow().end().how()).isEqualTo(How.DISCARDED);
		assertThat(admin.purge(QUEUE).waiting()).isOne();
		assertThat(keysOf("messages", "groups", "grouped", "failures", "dead", "entries", "active")).isEmpty();
		assertThat(reminders.handled).isEqualTo(Map.of("null", 1, "alice", 2, "bob", 1, "carol", 1));
	}

	/** The last end of the message of each group. */
	private static Map<String, How> ended(DelayQueueAdmin admin) {
		Map<String, How> ended = new TreeMap<>();
		admin.history(QUEUE, null, 100)
			.messages()
			.forEach((one) -> ended.putIfAbsent(String.valueOf(one.group()), one.end().how()));
		return ended;
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void eachMessageMovesToItsPartitionOfAnotherCount(int partitions) {
		ConfigurableApplicationContext application = start(partitions);
		DelayQueueOperations queue = application.getBean(DelayQueueOperations.class);
		DelayQueueAdmin admin = application.getBean(DelayQueueAdmin.class);
		scheduleAll(queue, LATER);

		admin.repartition(QUEUE, 3);

		assertThat(stored(queue)).isEqualTo(GROUPS);
		assertThat(queue.schedule(request("alice", LATER)).outcome()).isEqualTo(Outcome.DUPLICATE);
		assertThat(queue.schedule(request("dave", LATER)).outcome()).isEqualTo(Outcome.CREATED);
		assertThat(queue.cancel(key("alice"))).isEqualTo(CancelResult.CANCELLED);
		assertThat(queue.schedule(request("alice", LATER)).outcome()).isEqualTo(Outcome.CREATED);
		assertThat(stored(queue)).isEqualTo(GROUPS);
		for (int n = 0; n < 5; n++) {
			assertThat(queue.cancel(MessageKey.of(QUEUE, ID))).isEqualTo(CancelResult.CANCELLED);
		}
		assertThat(queue.cancel(MessageKey.of(QUEUE, ID))).isEqualTo(CancelResult.NOT_FOUND);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void theMessageWithoutAGroupComesBeforeThoseOfOlderPartitions(int partitions) {
		ConfigurableApplicationContext application = start(partitions);
		DelayQueueOperations queue = application.getBean(DelayQueueOperations.class);
		queue.schedule(request("alice", LATER));
		grow(application, partitions);
		queue.schedule(request(null, LATER));

		assertThat(queue.find(MessageKey.of(QUEUE, ID)).orElseThrow().group()).isNull();
		assertThat(queue.cancel(MessageKey.of(QUEUE, ID))).isEqualTo(CancelResult.CANCELLED);
		assertThat(stored(queue)).containsExactly("alice");
		assertThat(queue.cancel(MessageKey.of(QUEUE, ID))).isEqualTo(CancelResult.CANCELLED);
		assertThat(stored(queue)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void aProducerThatHasMissedTheGrowthFindsTheMessageWithoutAGroup(int partitions) {
		DelayQueueOperations producer = start(partitions).getBean(DelayQueueOperations.class);
		producer.schedule(request("alice", LATER));
		ConfigurableApplicationContext application = start(partitions);
		DelayQueueOperations queue = application.getBean(DelayQueueOperations.class);
		grow(application, partitions);
		queue.schedule(request(null, LATER));

		assertThat(producer.cancel(MessageKey.of(QUEUE, ID))).isEqualTo(CancelResult.CANCELLED);
		assertThat(stored(queue)).containsExactly("alice");
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void aLateRepeatLeavesANewerMessageAfterGrowth(int partitions) {
		ConfigurableApplicationContext application = start(partitions);
		DelayQueueOperations queue = application.getBean(DelayQueueOperations.class);
		PreparedCalls calls = application.getBean(DelayQueueEngine.class).preparedCalls();
		MessageKey key = MessageKey.of(QUEUE, ID);
		String cancel = CallToken.lasting(LATER);
		String reschedule = CallToken.lasting(LATER);
		assertThat(calls.cancel(key, cancel)).isEqualTo(CancelResult.NOT_FOUND);
		assertThat(calls.reschedule(key, "+7200000", System.nanoTime(), reschedule))
			.isEqualTo(RescheduleResult.NOT_FOUND);
		queue.schedule(request(null, LATER));
		Instant dueAt = queue.find(key).orElseThrow().dueAt();

		grow(application, partitions);

		assertThat(calls.cancel(key, cancel)).isEqualTo(CancelResult.NOT_FOUND);
		assertThat(calls.reschedule(key, "+7200000", System.nanoTime(), reschedule))
			.isEqualTo(RescheduleResult.NOT_FOUND);
		assertThat(queue.find(key).orElseThrow().dueAt()).isEqualTo(dueAt);
	}

	/**
	 * Changes the count of partitions, and waits until new messages go to the new ones.
	 */
	private void grow(ConfigurableApplicationContext application, int partitions) {
		application.getBean(DelayQueueAdmin.class).repartition(QUEUE, 3);
		Awaitility.await()
			.until(() -> IntStream.range(0, partitions)
				.allMatch((n) -> this.redis.call("HGET",
						this.applications.prefix() + ":{" + QUEUE + ":" + n + "}:control", "closed") != null));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void anOccurrenceOfAGroupLeavesTheSameIdOfOthers(int partitions) {
		ConfigurableApplicationContext application = start(partitions);
		DelayQueueOperations queue = application.getBean(DelayQueueOperations.class);
		RecurringOperations recurring = application.getBean(RecurringOperations.class);
		Instant first = Instant.now().plus(LATER).truncatedTo(ChronoUnit.MILLIS);
		String id = "daily@" + first;
		List<String> groups = IntStream.range(0, 24).mapToObj((n) -> "user-" + n).toList();
		for (String group : groups) {
			queue.schedule(ScheduleRequest.to(QUEUE).id(id).group(group).payload("x").dueAt(first));
		}
		RecurringSchedule daily = RecurringSchedule.to(QUEUE, "daily")
			.every(Duration.ofDays(1))
			.from(first)
			.missed(MissedPolicy.ALL)
			.payload("x");
		recurring.createOrReplace(daily.group("carol"));
		assertThat(queue.find(new MessageKey(QUEUE, id, "carol"))).isPresent();

		recurring.createOrReplace(daily.group("dave"));
		assertThat(queue.find(new MessageKey(QUEUE, id, "carol"))).isEmpty();
		recurring.createOrReplace(daily);
		assertThat(queue.find(MessageKey.of(QUEUE, id)).orElseThrow().group()).isNull();
		assertThat(queue.reschedule(MessageKey.of(QUEUE, id), first.plusSeconds(1)))
			.isEqualTo(RescheduleResult.RESCHEDULED);
		assertThat(queue.find(MessageKey.of(QUEUE, id)).orElseThrow().dueAt()).isEqualTo(first.plusSeconds(1));
		assertThat(queue.cancel(MessageKey.of(QUEUE, id))).isEqualTo(CancelResult.CANCELLED);
		assertThat(queue.find(MessageKey.of(QUEUE, id)).orElseThrow().group()).isIn(groups);
		for (String group : groups) {
			assertThat(queue.cancelGroup(QUEUE, group).cancelled()).isOne();
		}
		assertThat(queue.find(MessageKey.of(QUEUE, id))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 8 })
	void aBatchFailsForTheNamedMessageAlone(int partitions) {
		ConfigurableApplicationContext application = start(partitions, Batches.class);
		DelayQueueOperations queue = application.getBean(DelayQueueOperations.class);
		DelayQueueAdmin admin = application.getBean(DelayQueueAdmin.class);
		scheduleAll(queue, Duration.ZERO);

		Awaitility.await().until(() -> ended(admin).size() == 4);
		assertThat(ended(admin)).containsEntry("bob", How.DEAD_LETTERED)
			.containsEntry("null", How.ACKNOWLEDGED)
			.containsEntry("alice", How.ACKNOWLEDGED)
			.containsEntry("carol", How.ACKNOWLEDGED);
	}

	/** The keys with one of these names. */
	private List<String> keysOf(String... names) {
		List<String> found = new ArrayList<>();
		for (Object key : (List<?>) this.redis.call("KEYS", this.applications.prefix() + ":{" + QUEUE + ":*")) {
			if (List.of(names).contains(key.toString().substring(key.toString().lastIndexOf(':') + 1))) {
				found.add(key.toString());
			}
		}
		return found;
	}

	static class Reminders {

		private final List<String> failing = new CopyOnWriteArrayList<>();

		private final Map<String, Integer> handled = new ConcurrentHashMap<>();

		@DelayedListener(queue = QUEUE)
		void remind(DelayedMessage<String> message) {
			String group = message.group().orElse("null");
			assertThat(message.payload()).isEqualTo("to " + group);
			assertThat(message.id()).isEqualTo(ID);
			this.handled.merge(group, 1, Integer::sum);
			if (this.failing.contains(group)) {
				throw new IllegalStateException("refused");
			}
		}

	}

	static class Batches {

		@DelayedListener(queue = QUEUE, batch = "10")
		void remind(List<DelayedMessage<String>> messages) {
			BatchFailedException failed = new BatchFailedException();
			messages.stream()
				.filter((message) -> message.group().equals(Optional.of("bob")))
				.forEach((message) -> failed.failed(message, new IllegalStateException("refused")));
			failed.throwIfAny();
		}

	}

}
