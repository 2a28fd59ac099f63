package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.HoldException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.queue.SweepSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Queues and groups are held by handlers and by operators, while several processes
 * consume them.
 */
class HoldIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(30);

	private static final GroupSettings STRICT = new GroupSettings(0, false, false, 1, null, null, Map.of());

	private final String prefix = "hold-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	/** The exceptions that the handlers of some messages throw, by id. */
	private final Map<String, HoldException> thrown = new ConcurrentHashMap<>();

	private final List<QueueHold> observed = new CopyOnWriteArrayList<>();

	private final List<String> ended = new CopyOnWriteArrayList<>();

	private final Semaphore begun = new Semaphore(0);

	private volatile CountDownLatch go = new CountDownLatch(0);

	private final ExecutorService single = Executors.newSingleThreadExecutor();

	private SweepSettings sweeper = new SweepSettings(Duration.ofSeconds(1), 200, 0);

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@AfterEach
	void close() {
		this.go.countDown();
		this.engines.stop();
		this.single.shutdown();
	}

	@Test
	void aHandlerHoldsTheQueueInAllProcessesUntilARelease() {
		DelayQueueEngine one = consuming(3, GroupSettings.NONE);
		DelayQueueEngine other = consuming(3, GroupSettings.NONE);
		this.thrown.put("first", HoldException.queue(LONG, "429 Too Many\nRequests"));
		Instant before = Instant.now();
		schedule(one, "first", null);
		await().until(() -> one.admin().status("orders").isHeld());

		QueueHold hold = one.admin().holds("orders").get(0);
		assertThat(hold.until()).isBetween(before.plus(LONG).minusSeconds(5), Instant.now().plus(LONG).plusSeconds(5));
		assertThat(hold).isEqualTo(
				new QueueHold("orders", null, hold.until(), By.HANDLER, hold.process(), "429 Too Many Requests"));
		IntStream.range(0, 50).forEach((n) -> schedule(other, "later-" + n, null));
		awaitSweeps();
		assertThat(this.handled).isEmpty();
		await().until(() -> this.observed.size() == 1);
		assertThat(this.observed).containsExactly(hold);
		assertThat(one.operations().find(MessageKey.of("orders", "first")).orElseThrow().nextAttemptAt())
			.isBetween(hold.until().minusSeconds(5), hold.until().plusSeconds(60));
		assertThat(one.admin().status("orders").hold()).isEqualTo(hold);

		this.thrown.clear();
		other.admin().release("orders");

		await().until(() -> this.handled.size() == 50);
		assertThat(one.admin().status("orders").isHeld()).isFalse();
		assertThat(this.ended).containsExactly("orders null");
	}

	@Test
	void deliveryGoesOnByItselfAtTheEndOfAHold() {
		DelayQueueEngine one = consuming(3, GroupSettings.NONE);
		consuming(3, GroupSettings.NONE);
		this.thrown.put("first", HoldException.queue(Duration.ofSeconds(2), "busy"));
		schedule(one, "first", null);
		await().until(() -> one.admin().status("orders").isHeld());
		Instant until = one.admin().holds("orders").get(0).until();
		this.thrown.clear();
		IntStream.range(0, 20).forEach((n) -> schedule(one, "later-" + n, null));

		await().until(() -> this.handled.size() == 21);

		assertThat(one.admin().holds("orders")).isEmpty();
		assertThat(Instant.now()).isAfterOrEqualTo(until);
		assertThat(this.handled).doesNotHaveDuplicates();
	}

	/** The next sweep would come later than this test waits. */
	@Test
	void aSweepIsPlannedForTheEndOfAHold() {
		this.sweeper = new SweepSettings(Duration.ofMinutes(1), 200, 0);
		DelayQueueEngine one = consuming(1, GroupSettings.NONE);
		schedule(one, "first", null);
		await().until(() -> this.handled.equals(List.of("first")));
		one.admin().hold("orders", "g", Duration.ofSeconds(1), "");
		schedule(one, "of-group", "g");
		await().atMost(Duration.ofSeconds(30)).until(() -> this.handled.equals(List.of("first", "of-group")));

		one.admin().hold("orders", Duration.ofSeconds(1), "");
		schedule(one, "of-queue", null);

		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.handled.equals(List.of("first", "of-group", "of-queue")));
	}

	@Test
	void messagesThatHandlersHaveNotBegunGoBack() {
		DelayQueueEngine one = engine(1, GroupSettings.NONE);
		this.go = new CountDownLatch(1);
		consume(one, GroupSettings.NONE, 10, this.single);
		IntStream.range(0, 20).forEach((n) -> schedule(one, "id-" + n, null));
		this.begun.acquireUninterruptibly();
		await().until(() -> pending("orders") == 10);

		one.admin().hold("orders", LONG, "maintenance");

		await().until(() -> pending("orders") == 1);
		this.go.countDown();
		await().until(() -> this.handled.size() == 1);
		awaitSweeps();
		assertThat(this.handled).hasSize(1);
		one.admin().release("orders");
		await().until(() -> this.handled.size() == 20);
		assertThat(this.handled).doesNotHaveDuplicates();
	}

	@Test
	void aHandlerHoldsAtMostForMaxHoldAndNeverShortensAHold() {
		DelayQueueEngine one = consuming(1, GroupSettings.NONE);
		this.thrown.put("long", HoldException.queue(Duration.ofDays(10), ""));
		schedule(one, "long", null);
		await().until(() -> one.admin().status("orders").isHeld());
		assertThat(one.admin().holds("orders").get(0).until()).isBefore(Instant.now().plus(Duration.ofMinutes(70)));

		Instant later = Instant.ofEpochMilli(Instant.now().plus(Duration.ofDays(20)).toEpochMilli());
		QueueHold operated = one.admin().hold("orders", later, "partner is away");
		assertThat(operated).extracting(QueueHold::until, QueueHold::by, QueueHold::why)
			.containsExactly(later, By.OPERATOR, "partner is away");
		assertThat(one.admin().hold("orders", Duration.ofMinutes(1), "shorter")).isEqualTo(operated);
		assertThat(one.admin().holds("orders")).containsExactly(operated);
	}

	@Test
	void aHoldWithoutAnEndInTheFutureOrWithoutAGroupOnlyDefers() {
		DelayQueueEngine one = consuming(1, GroupSettings.NONE);
		this.thrown.put("past", HoldException.queue(Instant.EPOCH, "past"));
		this.thrown.put("no-group", HoldException.group(LONG, "no group"));
		schedule(one, "no-group", null);
		schedule(one, "past", null);
		MessageKey deferred = MessageKey.of("orders", "no-group");
		await().until(() -> one.operations()
			.find(deferred)
			.filter((found) -> found.nextAttemptAt().isAfter(Instant.now().plusSeconds(60)))
			.isPresent());
		this.thrown.clear();
		schedule(one, "other", null);

		await().until(() -> this.handled.containsAll(List.of("past", "other")));
		assertThat(one.admin().holds("orders")).isEmpty();
	}

	@Test
	void aHoldCountsAsADefer() {
		DelayQueueEngine one = engine(1, GroupSettings.NONE);
		QueueConsumer consumer = one.consumers()
			.create(settings("orders", 1, GroupSettings.NONE, 1, 10), (delivery) -> {
				throw HoldException.queue(Duration.ofMillis(1), "again");
			}, null, null);
		this.engines.start(consumer);
		schedule(one, "often", null);

		await().until(() -> one.admin().deadLetter(MessageKey.of("orders", "often")).isPresent());

		assertThat(one.admin().deadLetter(MessageKey.of("orders", "often")).orElseThrow().reason())
			.isEqualTo("DEFERRED_TOO_OFTEN");
	}

	@Test
	void onlyTheGroupIsHeldAndItsMessagesArePrepared() {
		DelayQueueEngine one = consuming(3, GroupSettings.NONE);
		consuming(3, GroupSettings.NONE);
		this.thrown.put("g-first", HoldException.group(LONG, "tenant is over its limit"));
		schedule(one, "g-first", "g");
		await().until(() -> !one.admin().holds("orders").isEmpty());
		QueueHold hold = one.admin().holds("orders").get(0);
		assertThat(hold).extracting(QueueHold::group, QueueHold::by, QueueHold::why)
			.containsExactly("g", By.HANDLER, "tenant is over its limit");
		assertThat(one.admin().status("orders").isHeld()).isFalse();

		IntStream.range(0, 20).forEach((n) -> {
			schedule(one, "g-" + n, "g");
			schedule(one, "h-" + n, "h");
			schedule(one, "n-" + n, null);
		});

		await().until(() -> this.handled.size() == 40);
		MessageKey parked = MessageKey.of("orders", "g-3").inGroup("g");
		await().until(() -> one.operations().find(parked).orElseThrow().state() == MessageState.PARKED);
		assertThat(this.handled).noneMatch((id) -> id.startsWith("g"));
		this.thrown.clear();
		one.admin().release("orders", "g");

		await().until(() -> this.handled.size() == 60);
		assertThat(this.handled).doesNotHaveDuplicates();
		assertThat(this.ended).containsExactly("orders g");
	}

	@Test
	void aGroupGoesOnByItselfAtTheEndOfItsHold() {
		DelayQueueEngine one = consuming(2, GroupSettings.NONE);
		consuming(2, GroupSettings.NONE);
		one.admin().hold("orders", "g", Duration.ofSeconds(2), "");
		IntStream.range(0, 100).forEach((n) -> schedule(one, "g-" + n, "g"));
		schedule(one, "other", "h");
		await().until(() -> this.handled.contains("other"));
		assertThat(this.handled).hasSize(1);

		await().until(() -> this.handled.size() == 101);

		assertThat(this.handled).doesNotHaveDuplicates();
		assertThat(one.admin().holds("orders")).isEmpty();
	}

	@Test
	void messagesOfAGroupThatHandlersHaveNotBegunGoBackAndKeepTheirOrder() {
		DelayQueueEngine one = engine(1, STRICT);
		this.go = new CountDownLatch(1);
		consume(one, STRICT, 10, this.single);
		schedule(one, "h-0", "h");
		this.begun.acquireUninterruptibly();
		IntStream.range(0, 5).forEach((n) -> schedule(one, "g-" + n, "g"));
		await().until(() -> pending("orders") == 2);

		one.admin().hold("orders", "g", LONG, "");

		await().until(() -> pending("orders") == 1);
		this.go.countDown();
		schedule(one, "h-1", "h");
		await().until(() -> this.handled.equals(List.of("h-0", "h-1")));
		one.admin().release("orders", "g");
		await().until(() -> this.handled.size() == 7);
		assertThat(this.handled.subList(2, 7)).containsExactly("g-0", "g-1", "g-2", "g-3", "g-4");
	}

	@Test
	void readyMessagesOfAHeldGroupGoBack() {
		DelayQueueEngine one = engine(1, GroupSettings.NONE);
		this.go = new CountDownLatch(1);
		consume(one, GroupSettings.NONE, 1, null);
		schedule(one, "h-0", "h");
		this.begun.acquireUninterruptibly();
		schedule(one, "g-0", "g");
		schedule(one, "g-1", "g");
		await().until(() -> state(one, "g-1") == MessageState.READY);

		one.admin().hold("orders", "g", LONG, "");
		this.go.countDown();
		schedule(one, "h-1", "h");

		await().until(() -> this.handled.equals(List.of("h-0", "h-1")));
		await().until(() -> state(one, "g-0") == MessageState.PARKED && state(one, "g-1") == MessageState.PARKED);
		one.admin().release("orders", "g");
		await().until(() -> this.handled.size() == 4);
		assertThat(this.handled).doesNotHaveDuplicates();
	}

	private static MessageState state(DelayQueueEngine engine, String id) {
		return engine.operations().find(MessageKey.of("orders", id).inGroup("g")).orElseThrow().state();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "g" })
	@DisplayName("row 74: a hold goes on when all processes have been replaced")
	void aHoldGoesOnWhenAllProcessesHaveBeenReplaced(String group) {
		DelayQueueEngine old = consuming(1, GroupSettings.NONE);
		schedule(old, "first", null);
		await().until(() -> this.handled.equals(List.of("first")));
		if (group.isEmpty()) {
			old.admin().hold("orders", LONG, "");
		}
		else {
			old.admin().hold("orders", group, LONG, "");
		}
		schedule(old, "held", "g");
		this.engines.stop();

		DelayQueueEngine one = consuming(1, GroupSettings.NONE);
		schedule(one, "free", "h");
		awaitSweeps();

		assertThat(this.handled).isEqualTo(group.isEmpty() ? List.of("first") : List.of("first", "free"));
		one.admin().release("orders");
		await().until(() -> this.handled.size() == 3);
	}

	@Test
	void holdsOutlastProcessesAndAPauseIsIndependent() {
		DelayQueueEngine one = engine(1, GroupSettings.NONE);
		schedule(one, "id", null);
		one.admin().hold("orders", LONG, "");
		one.admin().pause("orders");
		consuming(1, GroupSettings.NONE);
		awaitSweeps();
		one.admin().resume("orders");
		awaitSweeps();

		assertThat(this.handled).isEmpty();
		one.admin().pause("orders");
		one.admin().release("orders");
		awaitSweeps();
		assertThat(this.handled).isEmpty();
		one.admin().resume("orders");
		await().until(() -> this.handled.equals(List.of("id")));
	}

	@Test
	void aNewEpochInheritsHolds() {
		DelayQueueEngine one = consuming(2, GroupSettings.NONE);
		schedule(one, "before", "x");
		await().until(() -> this.handled.equals(List.of("before")));
		QueueHold group = one.admin().hold("orders", "g", LONG, "group");
		QueueHold queue = one.admin().hold("orders", LONG, "queue");

		one.admin().repartition("orders", 8);
		await().until(() -> !one.directory().read("orders").orElseThrow().newest().announced());

		schedule(one, "g-1", "g");
		schedule(one, "h-1", "h");
		IntStream.range(0, 20).forEach((n) -> schedule(one, "n-" + n, null));
		awaitSweeps();
		assertThat(this.handled).hasSize(1);
		await().atMost(Duration.ofMinutes(1))
			.until(() -> one.directory().read("orders").orElseThrow().epochs().size() == 1);
		assertThat(one.admin().holds("orders")).containsExactly(queue, group);

		one.admin().release("orders");
		await().until(() -> this.handled.size() == 23);
	}

	@Test
	void badInputIsRefusedByName() {
		DelayQueueEngine one = engine(1, GroupSettings.NONE);
		schedule(one, "id", null);

		refused("until", () -> one.admin().hold("orders", Instant.now().minusSeconds(1), ""));
		refused("until", () -> one.admin().hold("orders", Instant.EPOCH, ""));
		refused("until", () -> one.admin().hold("orders", Instant.MAX, ""));
		refused("duration", () -> one.admin().hold("orders", Duration.ofSeconds(-1), ""));
		refused("duration", () -> one.admin().hold("orders", Duration.ZERO, ""));
		refused("group", () -> one.admin().hold("orders", "", LONG, ""));
		refused("queue", () -> one.admin().hold("unknown", LONG, ""));
		refused("queue", () -> one.admin().hold("no queue", LONG, ""));
		refused("queue", () -> one.admin().release("unknown"));
		refused("queue", () -> one.admin().holds("unknown"));
		assertThat(one.admin().holds("orders")).isEmpty();
		one.admin().release("orders");
		one.admin().release("orders", "g");
		assertThat(this.ended).isEmpty();
	}

	private static void refused(String field, Runnable call) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::run)
			.satisfies((invalid) -> assertThat(invalid.field()).isEqualTo(field));
	}

	private DelayQueueEngine engine(int partitions, GroupSettings groups) {
		DelayQueueEngine engine = DelayQueueEngine
			.builder(this.engines.template(), (queue) -> settings(queue, partitions, groups, 1000, 10))
			.keyPrefix(this.prefix)
			.sweeper(this.sweeper, true)
			.observers(List.of(new QueueObserver() {

				@Override
				public void held(QueueHold hold) {
					HoldIntegrationTests.this.observed.add(hold);
				}

				@Override
				public void holdEnded(String queue, @Nullable String group) {
					HoldIntegrationTests.this.ended.add(queue + " " + group);
				}

			}))
			.build();
		this.engines.add(engine);
		return engine;
	}

	private DelayQueueEngine consuming(int partitions, GroupSettings groups) {
		DelayQueueEngine engine = engine(partitions, groups);
		consume(engine, groups, 10, null);
		return engine;
	}

	private QueueConsumer consume(DelayQueueEngine engine, GroupSettings groups, int concurrency,
			@Nullable Executor executor) {
		QueueConsumer consumer = engine.consumers()
			.create(settings("orders", engine.queues().settings("orders").partitions(), groups, 1000, concurrency),
					this::handle, null, executor);
		return this.engines.start(consumer);
	}

	private @Nullable CompletionStage<?> handle(Delivery delivery) throws Exception {
		this.begun.release();
		this.go.await();
		HoldException hold = this.thrown.get(delivery.id());
		if (hold != null) {
			throw hold;
		}
		this.handled.add(delivery.id());
		return null;
	}

	private static void schedule(DelayQueueEngine engine, String id, @Nullable String group) {
		ScheduleRequest request = ScheduleRequest.to("orders").id(id).payload("p").delay(Duration.ZERO);
		engine.operations().schedule((group != null) ? request.group(group) : request);
	}

	/** Waits until another queue has delivered a message that was due in a second. */
	private void awaitSweeps() {
		DelayQueueEngine engine = this.engines.first();
		CountDownLatch delivered = new CountDownLatch(1);
		QueueConsumer other = engine.consumers()
			.create(settings("other", engine.queues().settings("orders").partitions(), GroupSettings.NONE, 1000, 1),
					(delivery) -> {
						delivered.countDown();
						return null;
					}, null, null);
		other.start();
		engine.operations().schedule(ScheduleRequest.to("other").payload("p").delay(Duration.ofSeconds(1)));
		await().until(() -> delivered.getCount() == 0);
		other.stop(Duration.ofSeconds(10));
	}

	private long pending(String queue) {
		return this.engines.first()
			.directory()
			.read(queue)
			.orElseThrow()
			.partitions()
			.stream()
			.mapToLong((partition) -> {
				var pending = this.engines.template()
					.opsForStream()
					.pending(this.prefix + ":{" + partition + "}:ready", "consumers");
				return (pending != null) ? pending.getTotalPendingMessages() : 0;
			})
			.sum();
	}

	private static RetrySettings retry(int maxDefers) {
		return new RetrySettings(1, 3, maxDefers, 1, Duration.ofHours(1), BackOffPolicy.fixed(Duration.ofSeconds(1)),
				Set.of());
	}

	private static QueueSettings settings(String queue, int partitions, GroupSettings groups, int maxDefers,
			int concurrency) {
		return new QueueSettings(queue, partitions, concurrency, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(1), Duration.ofSeconds(1), retry(maxDefers), groups, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
