package io.delayqueue.schedule;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.store.Due;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.FailureKind;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.Partition;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.ScheduledMessages.NewMessage;
import io.delayqueue.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Each call is held until the test ends it.
 */
class JointCallsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final long FOREVER = System.nanoTime() + Duration.ofDays(1).toNanos();

	private static final int KB = 1024;

	private static final QueueSettings QUEUE = new QueueSettings("orders", 2, 10, Duration.ofSeconds(30),
			Duration.ofDays(1), 1000, Duration.ofSeconds(10), Duration.ofMinutes(2),
			new RetrySettings(5, 1, 1, 5, Duration.ofHours(1), BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of()),
			GroupSettings.NONE, ExpirySettings.NEVER);

	private static final Partition PARTITION = new Partition("orders", 0);

	private static final Partition ANOTHER = new Partition("orders", 1);

	private final BlockingQueue<Call> begun = new LinkedBlockingQueue<>();

	private final Queue<Call> held = new ConcurrentLinkedQueue<>();

	private final Queue<Sending> sendings = new ConcurrentLinkedQueue<>();

	private volatile boolean holdsNone;

	private volatile Function<List<Outgoing>, List<String>> calling = this::hold;

	private final JointCalls<String> jointCalls = new JointCalls<>((batch) -> this.calling.apply(batch));

	/** Whatever a test has done, no call is counted that has ended. */
	@AfterEach
	void afterwardsThreeCallsAtOnceAreMadeAndNoMore() throws Exception {
		for (Partition partition : List.of(PARTITION, ANOTHER)) {
			endAll();
			threeCallsAreUnderWay(partition);
			waitInLine(message(partition, "fourth", 1));
			assertThat(this.begun).isEmpty();
		}
		endAll();
	}

	@Test
	void aLoneThreadCallsAtOnceWithJustItsMessage() throws Exception {
		Sending sending = send(message("a"));

		Call call = nextCall();

		assertThat(call.ids()).containsExactly("a");
		assertThat(call.thread).isSameAs(sending.thread);
		call.end();
		assertThat(sending.answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
	}

	@Test
	void whileThreeCallsAreUnderWayMessagesWaitAndGoTogetherInTheOrderOfTheirArrival() throws Exception {
		List<Call> calls = threeCallsAreUnderWay();
		List<Sending> waiting = List.of(waitInLine(message("a")), waitInLine(message("b")), waitInLine(message("c")));
		assertThat(this.begun).isEmpty();

		calls.get(1).end();

		Call together = nextCall();
		assertThat(together.ids()).containsExactly("a", "b", "c");
		assertThat(together.thread).as("the one that came first").isSameAs(waiting.get(0).thread);
		together.end();
		assertThat(waiting.get(0).answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
		assertThat(waiting.get(1).answer).succeedsWithin(PATIENCE).isEqualTo("answer to b");
		assertThat(waiting.get(2).answer).succeedsWithin(PATIENCE).isEqualTo("answer to c");
	}

	@Test
	void noCallHasAnIdTwice() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		for (String id : List.of("a", "b", "a", "c", "a")) {
			waitInLine(message(id));
		}

		assertThat(idsOfCallsAfter(one, 3)).containsExactly(List.of("a", "b"), List.of("a", "c"), List.of("a"));
	}

	@Test
	void aCallHasAtMostAHundredMessages() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		for (int i = 0; i < 101; i++) {
			waitInLine(message("id" + i));
		}

		assertThat(idsOfCallsAfter(one, 2))
			.containsExactly(IntStream.range(0, 100).mapToObj((number) -> "id" + number).toList(), List.of("id100"));
	}

	@Test
	void aCallHasAtMost256KilobytesUnlessOneMessageIsLarger() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		waitInLine(message("a", 128 * KB));
		waitInLine(message("b", 128 * KB));
		waitInLine(message("c", 1));
		waitInLine(message("larger", 256 * KB + 1));
		waitInLine(message("d", 256 * KB));
		waitInLine(message("e", 1));

		assertThat(idsOfCallsAfter(one, 5)).containsExactly(List.of("a", "b"), List.of("c"), List.of("larger"),
				List.of("d"), List.of("e"));
	}

	@Test
	void aFailureIsToldToAllInTheCallAndToNobodyElse() throws Exception {
		StoreException full = failure(
				new RedisSystemException("Error", new IllegalStateException("OOM command not allowed")));
		assertThat(full.isRedisLost()).isFalse();
		Call one = threeCallsAreUnderWay().get(0);
		Sending a = waitInLine(message("a"));
		Sending b = waitInLine(message("b"));
		one.end();
		Call together = nextCall();
		Sending c = waitInLine(message("c"));

		together.fail(full);

		assertThat(a.failure()).isSameAs(full);
		assertThat(b.failure()).isSameAs(full);
		Call next = nextCall();
		assertThat(next.ids()).containsExactly("c");
		next.end();
		assertThat(c.answer).succeedsWithin(PATIENCE).isEqualTo("answer to c");
	}

	@Test
	void whenRedisIsLostThoseThatWaitAreToldThatTheyWereNotSent() throws Exception {
		StoreException lost = failure(new QueryTimeoutException("Redis command timed out"));
		assertThat(lost.isRedisLost()).isTrue();
		assertThat(lost.kind()).isEqualTo(FailureKind.UNKNOWN);
		Sending sent = send(message("sent"));
		Call losing = nextCall();
		send(message("second"));
		nextCall();
		send(message("third"));
		nextCall();
		Sending a = waitInLine(message("a"));
		Sending b = waitInLine(message("b"));

		losing.fail(lost);

		assertThat(sent.failure()).isSameAs(lost);
		for (Sending waiting : List.of(a, b)) {
			assertThat(waiting.failure()).isInstanceOfSatisfying(StoreException.class,
					(failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.NOT_EXECUTED));
		}
		assertThat(this.begun).isEmpty();
		send(message("later"));
		assertThat(nextCall().ids()).containsExactly("later");
	}

	static Stream<Throwable> afterAnyOtherFailureEachGoesAlone() {
		return Stream.of(new IllegalStateException("indicates a bug"), new StackOverflowError());
	}

	@ParameterizedTest
	@MethodSource
	void afterAnyOtherFailureEachGoesAlone(Throwable broken) throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		Sending a = waitInLine(message("a"));
		Sending b = waitInLine(message("b"));
		one.end();
		Call together = nextCall();
		Sending c = waitInLine(message("c"));

		together.fail(broken);

		Map<List<String>, Call> alone = new HashMap<>();
		for (int i = 0; i < 3; i++) {
			Call call = nextCall();
			alone.put(call.ids(), call);
		}
		assertThat(alone).containsOnlyKeys(List.of("a"), List.of("b"), List.of("c"));
		alone.remove(List.of("a")).fail(broken);
		alone.values().forEach(Call::end);
		assertThat(a.failure()).isSameAs(broken);
		assertThat(b.answer).succeedsWithin(PATIENCE).isEqualTo("answer to b");
		assertThat(c.answer).succeedsWithin(PATIENCE).isEqualTo("answer to c");
	}

	@Test
	void whoseDeadlinePassesInLineIsNotSent() throws Exception {
		threeCallsAreUnderWay();

		StoreException late = catchThrowableOfType(StoreException.class,
				() -> this.jointCalls.send(message("late"), System.nanoTime()));

		assertThat(late.kind()).isEqualTo(FailureKind.NOT_EXECUTED);
		assertThat(late.isRedisLost()).as("others may go on").isFalse();
		assertThat(this.begun).isEmpty();
	}

	@Test
	void theCallsOfLoneThreadsThatFailMakeRoomForOthers() throws Exception {
		List<Call> calls = threeCallsAreUnderWay();

		calls.get(0).fail(new StackOverflowError());
		calls.get(1).fail(new IllegalStateException());
		calls.get(2).fail(failure(new QueryTimeoutException("Redis command timed out")));
		for (Sending sending : this.sendings) {
			sending.failure();
		}

		threeCallsAreUnderWay();
	}

	@Test
	void partitionsDoNotWaitForEachOther() throws Exception {
		threeCallsAreUnderWay();
		waitInLine(message("a"));

		Sending sending = send(message(ANOTHER, "a", 1));

		Call call = nextCall();
		assertThat(call.batch).extracting(Outgoing::partition).containsExactly(ANOTHER);
		call.end();
		assertThat(sending.answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
	}

	@Test
	void aThreadThatIsInterruptedWhileItWaitsGetsItsAnswerAndStaysInterrupted() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		Sending caller = waitInLine(message("a"));
		Sending interrupted = waitInLine(message("b"));

		interrupted.thread.interrupt();
		until(() -> !interrupted.thread.isInterrupted() && interrupted.isInLine());
		one.end();
		nextCall().end();

		assertThat(interrupted.answer).succeedsWithin(PATIENCE).isEqualTo("answer to b");
		assertThat(interrupted.endedInterrupted).isTrue();
		assertThat(caller.answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
		assertThat(caller.endedInterrupted).isFalse();
	}

	@Test
	void aThreadThatIsInterruptedWhileItWaitsMakesItsCallAndStaysInterrupted() throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		Sending interrupted = waitInLine(message("a"));

		interrupted.thread.interrupt();
		until(() -> !interrupted.thread.isInterrupted() && interrupted.isInLine());
		one.end();
		Call call = nextCall();

		assertThat(call.thread).isSameAs(interrupted.thread);
		assertThat(call.beganInterrupted).isFalse();
		call.end();
		assertThat(interrupted.answer).succeedsWithin(PATIENCE).isEqualTo("answer to a");
		assertThat(interrupted.endedInterrupted).isTrue();
	}

	/** With a permit left over it would not stop. */
	@Test
	void aLoneThreadStopsWhenItParksNext() throws Exception {
		this.holdsNone = true;
		Object stop = new Object();
		Thread thread = daemon(() -> {
			this.jointCalls.send(message("a"), FOREVER);
			LockSupport.park(stop);
		});

		until(() -> thread.getState() == Thread.State.WAITING && LockSupport.getBlocker(thread) == stop);

		LockSupport.unpark(thread);
		thread.join(PATIENCE.toMillis());
		assertThat(thread.isAlive()).isFalse();
	}

	@Test
	void underLoadEachGetsItsOwnAnswerAndEachMessageIsInOneCall() {
		Load load = new Load(List.of());

		List<Outcome> outcomes = run(load);

		assertThat(outcomes).hasSize(Load.THREADS * Load.MESSAGES)
			.allSatisfy((outcome) -> assertThat(outcome.answer).isEqualTo(text(outcome.message)));
		assertThat(load.timesSent).hasSameSizeAs(outcomes)
			.allSatisfy((message, times) -> assertThat(times).as(message).hasValue(1));
		assertThat(load.faults).isEmpty();
	}

	@Test
	void underLoadFailuresOfAllKindsLeaveNobodyWaiting() {
		Load load = new Load(List.of(new StackOverflowError(), new IllegalStateException("indicates a bug"),
				new OutOfMemoryError("not really"), failure(new QueryTimeoutException("Redis command timed out"))));

		List<Outcome> outcomes = run(load);

		assertThat(outcomes).hasSize(Load.THREADS * Load.MESSAGES);
		// The second time alone
		assertThat(load.timesSent).allSatisfy((message, times) -> assertThat(times.get()).as(message).isBetween(1, 2));
		List<Outcome> answered = outcomes.stream().filter((outcome) -> outcome.failure == null).toList();
		assertThat(answered).isNotEmpty()
			.allSatisfy((outcome) -> assertThat(outcome.answer).isEqualTo(text(outcome.message)))
			.allSatisfy((outcome) -> assertThat(load.timesSent).containsKey(text(outcome.message)));
		assertThat(outcomes)
			.filteredOn((outcome) -> outcome.failure instanceof StoreException failure
					&& failure.kind() == FailureKind.NOT_EXECUTED)
			.allSatisfy((outcome) -> assertThat(load.timesSent).doesNotContainKey(text(outcome.message)));
		assertThat(load.faults).isEmpty();
	}

	private List<Outcome> run(Load load) {
		this.calling = load::call;
		List<Outcome> outcomes = load.run(this.jointCalls);
		this.calling = this::hold;
		return outcomes;
	}

	private List<String> hold(List<Outgoing> batch) {
		Call call = new Call(batch);
		this.held.add(call);
		if (this.holdsNone) {
			call.end();
		}
		else {
			this.begun.add(call);
		}
		return call.await();
	}

	private Call nextCall() throws InterruptedException {
		Call call = this.begun.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(call).as("a call").isNotNull();
		return Objects.requireNonNull(call);
	}

	private List<Call> threeCallsAreUnderWay() throws InterruptedException {
		return threeCallsAreUnderWay(PARTITION);
	}

	private List<Call> threeCallsAreUnderWay(Partition partition) throws InterruptedException {
		List<Call> calls = new ArrayList<>();
		for (String id : List.of("first", "second", "third")) {
			send(message(partition, id, 1));
			Call call = nextCall();
			assertThat(call.ids()).containsExactly(id);
			calls.add(call);
		}
		return calls;
	}

	/** Ends a call, and each that follows. */
	private List<List<String>> idsOfCallsAfter(Call one, int count) throws InterruptedException {
		List<List<String>> ids = new ArrayList<>();
		Call last = one;
		for (int i = 0; i < count; i++) {
			last.end();
			last = nextCall();
			ids.add(last.ids());
		}
		return ids;
	}

	private void endAll() {
		this.holdsNone = true;
		until(() -> {
			this.held.forEach(Call::end);
			return this.sendings.stream().allMatch((sending) -> sending.answer.isDone());
		});
		this.held.clear();
		this.begun.clear();
		this.sendings.clear();
		this.holdsNone = false;
	}

	private Sending send(Outgoing message) {
		Sending sending = new Sending(this.jointCalls, message);
		this.sendings.add(sending);
		return sending;
	}

	private Sending waitInLine(Outgoing message) {
		Sending sending = send(message);
		until(sending::isInLine);
		return sending;
	}

	private static void until(BooleanSupplier reached) {
		await().atMost(PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(reached::getAsBoolean);
	}

	private static Thread daemon(Runnable work) {
		Thread thread = new Thread(work);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private static Outgoing message(String id) {
		return message(id, 1);
	}

	private static Outgoing message(String id, int bytes) {
		return message(PARTITION, id, bytes);
	}

	private static Outgoing message(Partition partition, String id, int bytes) {
		return message(partition, id, new byte[bytes]);
	}

	private static Outgoing message(Partition partition, String id, byte[] envelope) {
		return new Outgoing(QUEUE, partition,
				new NewMessage(id, Due.in(Duration.ZERO), null, Expiry.NEVER, null, envelope));
	}

	private static String text(Outgoing message) {
		return new String(message.message().envelope(), StandardCharsets.UTF_8);
	}

	/** What the store makes of a failure. */
	private static StoreException failure(DataAccessException failure) {
		RedisTemplate<String, byte[]> failing = new RedisTemplate<>() {

			@Override
			public <T> T execute(RedisScript<T> script, RedisSerializer<?> argsSerializer,
					RedisSerializer<T> resultSerializer, List<String> keys, Object... args) {
				throw failure;
			}

		};
		ScheduledMessages messages = new ScheduledMessages(new RedisCalls(failing, new KeySpace("test")));
		return catchThrowableOfType(StoreException.class,
				() -> messages.schedule(PARTITION, QUEUE, List.of(message("a").message())));
	}

	/** A call that is under way until it is told how to end. */
	private static final class Call {

		private final List<Outgoing> batch;

		private final Thread thread = Thread.currentThread();

		private final boolean beganInterrupted = this.thread.isInterrupted();

		private final CompletableFuture<Supplier<List<String>>> end = new CompletableFuture<>();

		Call(List<Outgoing> batch) {
			this.batch = batch;
		}

		List<String> ids() {
			return this.batch.stream().map(Outgoing::id).toList();
		}

		void end() {
			this.end.complete(() -> ids().stream().map((id) -> "answer to " + id).toList());
		}

		void fail(Throwable why) {
			this.end.complete(() -> {
				if (why instanceof Error error) {
					throw error;
				}
				throw (RuntimeException) why;
			});
		}

		List<String> await() {
			return this.end.join().get();
		}

	}

	/** A thread that sends one message. */
	private static final class Sending {

		private final CompletableFuture<String> answer = new CompletableFuture<>();

		private final Thread thread;

		private volatile boolean endedInterrupted;

		Sending(JointCalls<String> jointCalls, Outgoing message) {
			this.thread = daemon(() -> {
				try {
					String given = jointCalls.send(message, FOREVER);
					this.endedInterrupted = Thread.currentThread().isInterrupted();
					this.answer.complete(given);
				}
				catch (Throwable failure) {
					this.answer.completeExceptionally(failure);
				}
			});
		}

		/** It waits, and not within a call. */
		boolean isInLine() {
			Object blocker = LockSupport.getBlocker(this.thread);
			return this.thread.getState() == Thread.State.TIMED_WAITING && blocker != null
					&& blocker.getClass().getNestHost() == JointCalls.class;
		}

		Throwable failure() {
			ExecutionException failure = catchThrowableOfType(ExecutionException.class,
					() -> this.answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
			assertThat(failure).as("a failure").isNotNull();
			return Objects.requireNonNull(failure.getCause());
		}

	}

	/** What one message has come to. */
	private static final class Outcome {

		private final Outgoing message;

		private String answer = "";

		private @Nullable Throwable failure;

		Outcome(Outgoing message) {
			this.message = message;
		}

	}

	/** Many threads, many messages, few ids, two partitions; no call is held. */
	private static final class Load {

		static final int THREADS = 16;

		static final int MESSAGES = 500;

		private static final int IDS = 4;

		private static final int FAILS_EVERY = 3;

		private final List<Throwable> failures;

		private final Map<String, AtomicInteger> timesSent = new ConcurrentHashMap<>();

		private final Queue<String> faults = new ConcurrentLinkedQueue<>();

		private final Map<Partition, AtomicInteger> underWay = Map.of(PARTITION, new AtomicInteger(), ANOTHER,
				new AtomicInteger());

		private final AtomicInteger calls = new AtomicInteger();

		Load(List<Throwable> failures) {
			this.failures = failures;
		}

		List<Outcome> run(JointCalls<String> jointCalls) {
			CyclicBarrier start = new CyclicBarrier(THREADS);
			List<CompletableFuture<List<Outcome>>> all = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				int number = i;
				CompletableFuture<List<Outcome>> outcomes = new CompletableFuture<>();
				all.add(outcomes);
				daemon(() -> {
					try {
						start.await();
						outcomes.complete(sendAll(jointCalls, number));
					}
					catch (Throwable broken) {
						outcomes.completeExceptionally(broken);
					}
				});
			}
			assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))).as("nobody hangs")
				.succeedsWithin(PATIENCE);
			return all.stream().flatMap((outcomes) -> outcomes.join().stream()).toList();
		}

		private List<Outcome> sendAll(JointCalls<String> jointCalls, int thread) {
			List<Outcome> outcomes = new ArrayList<>();
			for (int i = 0; i < MESSAGES; i++) {
				byte[] unique = (thread + "/" + i).getBytes(StandardCharsets.UTF_8);
				Outcome outcome = new Outcome(
						message((i % 2 == 0) ? PARTITION : ANOTHER, "id" + (thread + i / 2) % IDS, unique));
				try {
					outcome.answer = jointCalls.send(outcome.message, FOREVER);
				}
				catch (Throwable failure) {
					outcome.failure = failure;
				}
				outcomes.add(outcome);
			}
			return outcomes;
		}

		private List<String> call(List<Outgoing> batch) {
			AtomicInteger underWay = this.underWay.get(batch.get(0).partition());
			if (underWay.incrementAndGet() > 3 && this.failures.isEmpty()) {
				this.faults.add("more than 3 calls");
			}
			try {
				return look(batch);
			}
			finally {
				underWay.decrementAndGet();
			}
		}

		private List<String> look(List<Outgoing> batch) {
			if (batch.stream().map(Outgoing::id).distinct().count() < batch.size()) {
				this.faults.add("an id twice");
			}
			if (batch.stream().map(Outgoing::partition).distinct().count() > 1) {
				this.faults.add("two partitions");
			}
			batch.forEach((message) -> this.timesSent.computeIfAbsent(text(message), (text) -> new AtomicInteger())
				.incrementAndGet());
			// Others come meanwhile
			Thread.yield();
			int number = this.calls.incrementAndGet();
			if (!this.failures.isEmpty() && number % FAILS_EVERY == 0) {
				Throwable failure = this.failures.get(number / FAILS_EVERY % this.failures.size());
				if (failure instanceof Error error) {
					throw error;
				}
				throw (RuntimeException) failure;
			}
			return batch.stream().map(JointCallsTests::text).toList();
		}

	}

}
