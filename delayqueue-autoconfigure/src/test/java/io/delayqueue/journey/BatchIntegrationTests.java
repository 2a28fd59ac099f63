package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.BatchFailedException;
import io.delayqueue.DeadLetter;
import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueMdc;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.RetryAfterException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.Batches.Run;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages that are handed over in batches, on their whole way.
 */
@SuppressWarnings("NullAway.Init")
class BatchIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	/** Longer than any test. */
	private static final String NEVER = "29s";

	private static final Duration NEVER_PASSED = Duration.ofSeconds(29);

	private RedisServer redis;

	private TestApplication applications;

	private ConfigurableApplicationContext context;

	private Batches batches;

	private DelayQueueOperations queue;

	private String prefix;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.defaults.visibility-timeout=90s")
			.with("delayqueue.defaults.back-off.first=100ms");
		this.prefix = this.applications.prefix();
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void noBatchIsLargerThanItMayBeAndNoneMixesGroups() {
		start("batch=16", "delayqueue.defaults.partitions=3");
		Instant due = Instant.now().plusSeconds(1);
		List<ScheduleRequest> requests = IntStream.range(0, 1000)
			.mapToObj((i) -> inGroup(request("grouped", "m-" + i).dueAt(due.plusMillis(i % 5)), i % 8))
			.toList();

		this.queue.scheduleAll(requests);

		List<Run> runs = this.batches.await(1000);
		assertThat(this.batches.ids()).hasSize(1000).doesNotHaveDuplicates();
		assertThat(runs).allSatisfy((run) -> {
			assertThat(run.messages()).hasSizeBetween(1, 16);
			assertThat(run.groups()).hasSize(1);
			assertThat(run.messages())
				.isSortedAccordingTo(Comparator.<DelayedMessage<String>, Instant>comparing(DelayedMessage::dueAt)
					.thenComparing(DelayedMessage::id));
			assertThat(run.messages()).allMatch((message) -> !run.at().isBefore(message.dueAt()));
		});
		assertThat(runs).as("full").anyMatch((run) -> run.messages().size() == 16);
		assertThat(runs).extracting(Run::groups).as("with and without a group").contains(List.of(groupOf(0)));
		awaitEmpty("grouped");
		DistributionSummary sizes = this.context.getBean(MeterRegistry.class)
			.get("delayqueue.batch.size")
			.tag("queue", "grouped")
			.summary();
		assertThat(sizes.count()).isEqualTo(runs.size());
		assertThat(sizes.totalAmount()).isEqualTo(1000);
		assertThat(sizes.max()).isEqualTo(16);
	}

	@Test
	void aBatchThatDoesNotFillIsHandedOverAfterItsWait() {
		start("batch-wait=400ms");
		Instant began = Instant.now();
		schedule("plain", "a", "b", "c");

		Run run = this.batches.await(3).get(0);

		assertThat(run.ids()).containsExactly("a", "b", "c");
		assertThat(Duration.between(began, run.at())).isGreaterThanOrEqualTo(Duration.ofMillis(400));
	}

	@Test
	void aFullBatchWaitsForNothing() {
		start("batch=4", "batch-wait=" + NEVER);
		Instant began = Instant.now();
		schedule("plain", "a", "b", "c", "d");

		Run run = this.batches.await(4).get(0);

		assertThat(run.ids()).containsExactly("a", "b", "c", "d");
		assertThat(Duration.between(began, run.at())).isLessThan(NEVER_PASSED);
	}

	@Test
	void withoutAWaitWhatOneReadBringsIsHandedOver() {
		start("batch=100", "batch-wait=");
		scheduleMany("plain", "m", 100);

		List<Run> runs = this.batches.await(100);

		assertThat(this.batches.ids()).hasSize(100).doesNotHaveDuplicates();
		assertThat(runs).as("together").hasSizeLessThan(50);
	}

	@Test
	void aGroupWithOneMessageDoesNotKeepOthersFromBeingHandled() {
		start("batch=8", "batch-concurrency=8", "batch-wait=" + NEVER);
		Instant began = Instant.now();
		this.queue.schedule(request("grouped", "lonely").group("lonely").delay(Duration.ZERO));
		awaitPending("grouped", 1);
		// Seven at a time: the eighth place is taken
		for (int i = 0; i < 35; i++) {
			this.queue.schedule(request("grouped", "m-" + i).group("busy").delay(Duration.ZERO));
		}

		this.batches.await(35);

		assertThat(Duration.between(began, Instant.now())).isLessThan(NEVER_PASSED);
		assertThat(this.batches.ids()).hasSize(35).doesNotContain("lonely").doesNotHaveDuplicates();
	}

	@Test
	void eachMessageThatIsNamedFailsByItselfAndTheOthersAreAcknowledged() {
		start("delayqueue.defaults.max-attempts=2");
		this.batches.behaviour = (batch) -> {
			BatchFailedException failed = new BatchFailedException();
			boolean first = this.batches.runs.size() == 1;
			for (DelayedMessage<String> message : batch) {
				if (message.id().equals("always")) {
					failed.failed("always", new IllegalStateException("no way"));
				}
				else if (first && message.id().equals("deferred")) {
					failed.failed("deferred", new DeferException(Duration.ofMillis(100)));
				}
				else if (first && message.id().equals("later")) {
					failed.failed("later", new RetryAfterException(Duration.ofSeconds(1), "wait"));
				}
			}
			failed.throwIfAny();
			return null;
		};
		schedule("plain", "always", "deferred", "fine", "good", "later");

		List<Run> runs = this.batches.await(8);

		assertThat(runs.get(0).ids()).containsExactly("always", "deferred", "fine", "good", "later");
		assertThat(attemptsOf("fine")).containsExactly(1);
		assertThat(attemptsOf("good")).containsExactly(1);
		assertThat(attemptsOf("always")).containsExactly(1, 2);
		assertThat(attemptsOf("deferred")).containsExactly(1, 1);
		assertThat(attemptsOf("later")).containsExactly(1, 2);
		assertThat(awaitDead("plain", "always")).contains("HANDLER_FAILED", "no way");
		awaitMessages("plain", 1);
		Run ofLater = runs.stream().skip(1).filter((run) -> run.ids().contains("later")).findFirst().orElseThrow();
		assertThat(Duration.between(runs.get(0).at(), ofLater.at())).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void aBatchThatFailsIsAFailureOfEachOfItsMessages() {
		start();
		this.batches.behaviour = (batch) -> {
			if (batch.stream().anyMatch((message) -> message.attempt() == 1)) {
				throw new IllegalStateException("not yet");
			}
			return null;
		};
		schedule("plain", "a", "b", "c");

		this.batches.await(6);

		for (String id : List.of("a", "b", "c")) {
			assertThat(attemptsOf(id)).containsExactly(1, 2);
		}
		awaitEmpty("plain");
		assertThat(handled("retry")).isEqualTo(3);
		assertThat(handled("success")).isEqualTo(3);
	}

	@Test
	void aMessageThatAlwaysFailsTakesNoOneElseAlong() {
		start("batch=50", "delayqueue.defaults.max-attempts=2");
		this.batches.behaviour = (batch) -> {
			if (batch.stream().anyMatch((message) -> message.id().equals("m-13"))) {
				throw new IllegalStateException("m-13 is among them");
			}
			return null;
		};
		scheduleMany("plain", "m", 200);

		assertThat(awaitDead("plain", "m-13")).contains("HANDLER_FAILED", "m-13 is among them");

		awaitMessages("plain", 1);
		assertThat(this.batches.runs)
			.filteredOn((run) -> run.messages().stream().anyMatch((message) -> message.attempt() > 1))
			.isNotEmpty()
			.allSatisfy((run) -> assertThat(run.messages()).hasSize(1));
	}

	@Test
	void whoNamesAMessageThatIsNotInTheBatchHasHandledNone() {
		start("delayqueue.defaults.max-attempts=1");
		this.batches.behaviour = (batch) -> {
			throw new BatchFailedException().failed("a", new IllegalStateException("a alone"))
				.failed("nobody", new IllegalStateException("nobody"));
		};
		schedule("plain", "a", "b");

		for (String id : List.of("a", "b")) {
			assertThat(awaitDead("plain", id))
				.contains("which is not in its batch: so the whole batch counts as failed");
		}
	}

	@Test
	void whoNamesNoMessageHasHandledNone() {
		start("delayqueue.defaults.max-attempts=1");
		this.batches.behaviour = (batch) -> {
			throw new BatchFailedException();
		};
		schedule("plain", "a", "b");

		for (String id : List.of("a", "b")) {
			assertThat(awaitDead("plain", id)).contains("but not which");
		}
	}

	@Test
	void aMessageThatCannotBeReadTakesNoOtherOneAlong() {
		start();
		this.queue.scheduleAll(List.of(request("plain", "a").delay(Duration.ZERO),
				ScheduleRequest.to("plain").id("b").payload(List.of(1)).delay(Duration.ZERO),
				request("plain", "c").delay(Duration.ZERO)));

		assertThat(this.batches.await(2).get(0).ids()).containsExactly("a", "c");
		assertThat(awaitDead("plain", "b")).contains("UNREADABLE");
		awaitMessages("plain", 1);
		assertThat(this.batches.ids()).containsExactly("a", "c");
	}

	@Test
	void theStageOfABatchIsAwaited() {
		start();
		CompletableFuture<Void> stage = new CompletableFuture<>();
		this.batches.behaviour = (batch) -> (this.batches.runs.size() == 1) ? stage : null;
		schedule("plain", "a", "b");
		this.batches.await(2);
		assertThat(this.queue.find("plain", "a").map(MessageSnapshot::state)).contains(MessageState.PENDING);

		stage.completeExceptionally(
				new CompletionException(new BatchFailedException().failed("b", new IllegalStateException("half"))));

		this.batches.await(3);
		awaitEmpty("plain");
		assertThat(this.batches.ids()).containsExactly("a", "b", "b");
		assertThat(attemptsOf("b")).containsExactly(1, 2);
	}

	@Test
	void leasesAreKeptWhileABatchIsCollectedAndHandledAndOneThatIsLostIsToldOfThatMessage() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		List<String> lost = new CopyOnWriteArrayList<>();
		start("delayqueue.defaults.visibility-timeout=1s", "batch-wait=300ms");
		this.batches.behaviour = (batch) -> {
			begun.countDown();
			if (batch.size() == 3) {
				Awaitility.await().atMost(LONG).until(() -> batch.get(1).isLeaseLost());
				// Two more visibility timeouts
				Instant end = Instant.now().plusSeconds(2);
				Awaitility.await().atMost(LONG).until(() -> Instant.now().isAfter(end));
				batch.stream().filter(DelayedMessage::isLeaseLost).map(DelayedMessage::id).forEach(lost::add);
			}
			return null;
		};
		schedule("plain", "a", "b", "c");
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();

		Object entry = Objects.requireNonNull(this.redis.call("HGET", key("plain", "entries"), "b"));
		this.redis.call("XACK", key("plain", "ready"), "consumers", entry.toString());

		awaitEmpty("plain");
		assertThat(lost).containsExactly("b");
		assertThat(this.batches.ids()).containsExactly("a", "b", "c", "b");
		assertThat(attemptsOf("b")).as("its return did not count").containsExactly(1, 2);
	}

	@Test
	void aMessageWhoseLeaseMayHaveEndedWhileItWaitedIsNotInTheBatch() throws Exception {
		try (FaultProxy way = FaultProxy.to(this.redis);
				TestApplication behindTheWay = new TestApplication(way.uri())) {
			start(behindTheWay.with("spring.data.redis.timeout=1s"), "delayqueue.defaults.visibility-timeout=1s",
					"batch=3", "batch-concurrency=5", "batch-wait=100ms");
			CountDownLatch begun = new CountDownLatch(1);
			this.batches.behaviour = (batch) -> {
				if (batch.size() == 3 && begun.getCount() > 0) {
					begun.countDown();
					Awaitility.await().atMost(LONG).until(() -> batch.get(0).isLeaseLost());
					// The others were read a little later
					Instant end = Instant.now().plusSeconds(1);
					Awaitility.await().atMost(LONG).until(() -> Instant.now().isAfter(end));
				}
				return null;
			};
			schedule("plain", "a", "b", "c");
			assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
			schedule("plain", "d", "e");
			awaitPending("plain", 5);
			way.refuse();
			way.cutAll();
			DelayedListenerContainer container = this.context.getBean(DelayedListenerRegistry.class)
				.container("plain")
				.orElseThrow();
			Awaitility.await().atMost(LONG).until(() -> container.inFlight() == 0);
			way.pass();

			Counter released = this.context.getBean(MeterRegistry.class)
				.get("delayqueue.released")
				.tag("queue", "plain")
				.counter();
			Awaitility.await().atMost(LONG).until(() -> released.count() == 2);
			awaitEmpty("plain");
			assertThat(this.batches.ids()).containsOnlyOnce("d", "e");
		}
	}

	@Test
	void whatIsCollectedWhenTheQueueIsPausedForAllIsGivenBackAtOnce() {
		start("batch-wait=" + NEVER, "delayqueue.defaults.partitions=3");
		Instant began = Instant.now();
		scheduleMany("plain", "m", 7);
		awaitPending("plain", 7);
		DelayQueueAdmin admin = this.context.getBean(DelayQueueAdmin.class);

		admin.pause("plain");

		awaitPending("plain", 0);
		assertThat(Duration.between(began, Instant.now())).isLessThan(NEVER_PASSED);
		assertThat(this.batches.runs).isEmpty();
		admin.resume("plain");
		scheduleMany("plain", "n", 17);
		assertThat(this.batches.await(24)).flatExtracting(Run::attempts).containsOnly(1);
		assertThat(Duration.between(began, Instant.now())).isLessThan(NEVER_PASSED);
	}

	@Test
	void whatIsCollectedWhenAProcessStopsIsGivenBackAtOnce() {
		start("batch-wait=" + NEVER);
		Instant began = Instant.now();
		schedule("plain", "a", "b", "c");
		awaitPending("plain", 3);

		this.context.close();

		assertThat(this.redis.call("XLEN", key("plain", "ready"))).isEqualTo(0L);
		assertThat(this.redis.call("ZCARD", key("plain", "scheduled"))).isEqualTo(3L);
		assertThat(this.batches.runs).isEmpty();
		start("batch-wait=100ms");
		assertThat(this.batches.await(3)).flatExtracting(Run::attempts).containsOnly(1);
		assertThat(Duration.between(began, Instant.now())).isLessThan(NEVER_PASSED);
	}

	@Test
	void aSuspectIsABatchOfItsOwnAndRunsAlone() {
		DelayQueueOperations producer = this.applications.producer();
		for (int i = 0; i < 12; i++) {
			producer.schedule(request("plain", "m-" + i).delay(Duration.ZERO));
		}
		Set<String> suspects = Set.of("m-3", "m-7");
		suspects.forEach((id) -> this.redis.call("HSET", key("plain", "failures"), id, "0|1|0||"));
		AtomicInteger running = new AtomicInteger();
		List<String> together = new CopyOnWriteArrayList<>();
		start();
		this.batches.behaviour = (batch) -> {
			int others = running.getAndIncrement();
			try {
				if (batch.stream().anyMatch((message) -> suspects.contains(message.id())) && others > 0) {
					together.addAll(batch.stream().map(DelayedMessage::id).toList());
				}
			}
			finally {
				running.decrementAndGet();
			}
			return null;
		};

		List<Run> runs = this.batches.await(12);

		awaitEmpty("plain");
		assertThat(this.batches.ids()).hasSize(12).doesNotHaveDuplicates();
		assertThat(runs).filteredOn((run) -> run.ids().stream().anyMatch(suspects::contains))
			.hasSize(2)
			.allSatisfy((run) -> assertThat(run.ids()).hasSize(1));
		assertThat(together).isEmpty();
	}

	@Test
	void placesCountMessagesAndAreSharedByAsManyBatchesAsThereWouldBeFullOnes() {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch two = new CountDownLatch(2);
		Set<String> threads = ConcurrentHashMap.newKeySet();
		start("batch=4", "batch-concurrency=10", "batch-wait=10ms");
		this.batches.behaviour = (batch) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			two.countDown();
			threads.add(Thread.currentThread().getName());
			assertThat(two.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(pending("plain")).as("in hand, and as many on their way to be settled")
				.isLessThanOrEqualTo(2 * 10);
			running.decrementAndGet();
			return null;
		};
		scheduleMany("plain", "m", 200);

		this.batches.await(200);

		awaitEmpty("plain");
		assertThat(most).hasValue(2);
		assertThat(threads).hasSize(2);
		assertThat(this.batches.ids()).as("none failed").hasSize(200);
		assertThat(this.batches.runs).allMatch((run) -> run.messages().size() <= 4);
	}

	@Test
	void theLogContextOfABatchNamesTheQueueAndNoMessage() {
		List<String> contexts = new CopyOnWriteArrayList<>();
		start();
		this.batches.behaviour = (batch) -> {
			contexts.add(MDC.get(DelayQueueMdc.QUEUE) + " " + MDC.get(DelayQueueMdc.ID));
			return null;
		};
		schedule("plain", "a", "b");

		this.batches.await(2);

		assertThat(contexts).containsExactly("plain null");
	}

	@Test
	void aListenerThatDoesNotSayHowManyItHandlesHasPlacesForTwoBatches() {
		start("batch=8", "batch-wait=0");
		CountDownLatch go = new CountDownLatch(1);
		this.batches.behaviour = (batch) -> {
			assertThat(go.await(30, TimeUnit.SECONDS)).isTrue();
			return null;
		};
		scheduleMany("plain", "m", 40);

		awaitPending("plain", 16);

		go.countDown();
		this.batches.await(40);
		awaitEmpty("plain");
	}

	private void start(String... properties) {
		start(this.applications, properties);
	}

	private void start(TestApplication application, String... properties) {
		for (String property : properties) {
			application.with(property);
		}
		this.prefix = application.prefix();
		this.context = application.start(Batches.class);
		this.batches = this.context.getBean(Batches.class);
		this.queue = this.context.getBean(DelayQueueOperations.class);
	}

	private static ScheduleRequest request(String queue, String id) {
		return ScheduleRequest.to(queue).id(id).payload("p");
	}

	/** Group 0 is none. */
	private static ScheduleRequest inGroup(ScheduleRequest request, int group) {
		return (group > 0) ? request.group("g-" + group) : request;
	}

	private static Optional<String> groupOf(int group) {
		return (group > 0) ? Optional.of("g-" + group) : Optional.empty();
	}

	/** All of them due at one instant that is still to come: they are swept together. */
	private void schedule(String name, String... ids) {
		Instant due = Instant.now().plusMillis(500);
		List<ScheduleRequest> requests = new ArrayList<>();
		for (String id : ids) {
			requests.add(request(name, id).dueAt(due));
		}
		this.queue.scheduleAll(requests);
	}

	private void scheduleMany(String name, String prefix, int count) {
		schedule(name, IntStream.range(0, count).mapToObj((i) -> prefix + "-" + i).toArray(String[]::new));
	}

	private List<Integer> attemptsOf(String id) {
		return this.batches.runs.stream()
			.flatMap((run) -> run.messages().stream())
			.filter((message) -> message.id().equals(id))
			.map(DelayedMessage::attempt)
			.toList();
	}

	private long handled(String outcome) {
		return this.context.getBean(MeterRegistry.class)
			.get("delayqueue.handled")
			.tag("queue", "plain")
			.tag("outcome", outcome)
			.timer()
			.count();
	}

	private String awaitDead(String name, String id) {
		DelayQueueAdmin admin = this.context.getBean(DelayQueueAdmin.class);
		Awaitility.await().atMost(LONG).until(() -> admin.deadLetter(MessageKey.of(name, id)).isPresent());
		DeadLetter dead = admin.deadLetter(MessageKey.of(name, id)).orElseThrow();
		return dead.reason() + " " + dead.message();
	}

	private void awaitPending(String name, long count) {
		Awaitility.await().atMost(LONG).ignoreExceptions().until(() -> pending(name) == count);
	}

	private long pending(String name) {
		long count = 0;
		for (int partition = 0; partition < 3; partition++) {
			if (Long.valueOf(1).equals(this.redis.call("EXISTS", key(name, partition, "ready")))) {
				List<?> pending = (List<?>) Objects
					.requireNonNull(this.redis.call("XPENDING", key(name, partition, "ready"), "consumers"));
				count += (Long) pending.get(0);
			}
		}
		return count;
	}

	private void awaitEmpty(String name) {
		awaitMessages(name, 0);
	}

	private void awaitMessages(String name, int count) {
		Awaitility.await().atMost(LONG).until(() -> {
			long messages = 0;
			for (int partition = 0; partition < 3; partition++) {
				messages += (Long) Objects.requireNonNull(this.redis.call("HLEN", key(name, partition, "messages")));
			}
			return messages == count;
		});
	}

	private String key(String name, String part) {
		return key(name, 0, part);
	}

	private String key(String name, int partition, String part) {
		return this.prefix + ":{" + name + ":" + partition + "}:" + part;
	}

}
