package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.Partition;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the partition reader reads, how much, and what it does with the permits.
 */
@SuppressWarnings("NullAway.Init")
class PartitionReaderIntegrationTests {

	private static ActorBench shared;

	private final AtomicBoolean answers = new AtomicBoolean(true);

	private final RedisGate gate = new RedisGate(this.answers::get);

	private final Partition partition = shared.partition();

	private final TestReceiver receiver = new TestReceiver();

	private final InFlight inFlight = new InFlight();

	private final Permits permits = new Permits(3, this::permitFreed);

	private final PartitionReader reader = TestActors.reader(shared, this.partition, this.gate, this.permits,
			this.inFlight, this.receiver);

	@BeforeAll
	static void start() {
		shared = new ActorBench(SharedRedis.get().uri());
	}

	@AfterAll
	static void stop() {
		shared.close();
	}

	@AfterEach
	void stopIntake() {
		this.reader.close();
		this.gate.close();
	}

	@Test
	void asMuchIsReadAsThereArePermitsAndTheRestWhenOneIsFreeAgain() {
		makeReady(5);
		this.reader.start();
		Awaitility.await().until(() -> this.receiver.ids().size() == 3);
		assertThat(this.permits.taken()).isEqualTo(3);
		assertThat(this.inFlight.of(this.partition)).hasSize(3);

		this.permits.giveBack(1);

		Awaitility.await().until(() -> this.receiver.ids().size() == 4);
		assertThat(this.receiver.ids()).containsExactly("m-0", "m-1", "m-2", "m-3");
		assertThat(shared.call("XPENDING", this.partition, "ready", "consumers")).startsWith("[4,");
	}

	@Test
	void anEmptyStreamIsReadOnceForEachSignal() {
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		this.reader.permitFreed();

		this.reader.signal();
		Awaitility.await().until(() -> reads() == 2);

		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(2);
		Awaitility.await().until(() -> this.permits.taken() == 0);
	}

	@Test
	void whileItIsCautiousItReadsOneByOne() {
		makeReady(3);
		this.receiver.cautious = true;

		this.reader.start();

		Awaitility.await().until(() -> this.receiver.ids().size() == 3);
		assertThat(this.receiver.batches).allSatisfy((batch) -> assertThat(batch).hasSize(1));
	}

	@Test
	void whileTheReceiverOrTheGateIsClosedNothingIsRead() {
		makeReady(1);
		this.receiver.open = false;
		this.reader.start();
		awaitReadsOfAnother();
		this.answers.set(false);
		this.gate.lost(new IllegalStateException("cut"));
		this.receiver.open = true;
		this.reader.signal();
		awaitReadsOfAnother();
		assertThat(reads()).isZero();
		assertThat(this.permits.taken()).isZero();

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		this.reader.signal();

		Awaitility.await().until(() -> this.receiver.ids().size() == 1);
	}

	@Test
	void aPauseForAllIsReportedAndItsEndMakesItReadAgain() {
		makeReady(1);
		shared.call("HSET", this.partition, "control", "paused", "1");
		this.reader.start();
		Awaitility.await().until(() -> this.receiver.pauses.equals(List.of(true)));
		assertThat(this.reader.isPausedForAll()).isTrue();
		assertThat(this.receiver.ids()).isEmpty();

		shared.call("HDEL", this.partition, "control", "paused");
		this.reader.pausedForAll(false);

		Awaitility.await().until(() -> this.receiver.ids().size() == 1);
		assertThat(this.receiver.pauses).containsExactly(true, false);
	}

	@Test
	void aPartitionOfAnotherLayoutIsReadAgainOnceItsLayoutIsKnownToTheProcess() {
		makeReady(1);
		shared.layout(this.partition, 2);
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		this.reader.signal();
		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(1);
		assertThat(this.reader.status().failures()).as("no fault of Redis").isZero();
		assertThat(this.permits.taken()).isZero();

		shared.layout(this.partition, 1);
		shared.sweep(this.partition);
		this.reader.signal();

		Awaitility.await().until(() -> this.receiver.ids().size() == 1);
	}

	@Test
	void aReadThatDoesNotReachRedisClosesTheGateAndGivesItsPermitsBack() {
		try (RedisServer server = RedisServer.builder().start(); ActorBench bench = new ActorBench(server.uri())) {
			RedisGate probing = new RedisGate(bench.bean(RedisCalls.class)::answers);
			Partition orders = bench.partition();
			PartitionReader surviving = TestActors.reader(bench, orders, probing, this.permits, this.inFlight,
					this.receiver);
			surviving.start();
			Awaitility.await().until(() -> bench.scripts("read", orders).size() == 1);

			server.kill();
			surviving.signal();
			Awaitility.await().until(() -> !probing.isOpen());
			Awaitility.await().until(() -> this.permits.taken() == 0);
			server.start();
			Awaitility.await().until(probing::isOpen);
			bench.schedule(orders, "back", Duration.ZERO);
			bench.sweep(orders);
			surviving.signal();

			Awaitility.await().until(() -> this.receiver.ids().contains("back"));
			surviving.close();
			probing.close();
		}
	}

	@Test
	void afterCloseNothingIsRead() {
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		makeReady(1);

		this.reader.close();
		assertThat(this.reader.await(Duration.ofMinutes(1))).isTrue();
		this.reader.signal();

		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(1);
	}

	private void permitFreed() {
		this.reader.permitFreed();
	}

	private void makeReady(int messages) {
		IntStream.range(0, messages).forEach((i) -> shared.schedule(this.partition, "m-" + i, Duration.ZERO));
		shared.sweep(this.partition);
	}

	private int reads() {
		return shared.scripts("read", this.partition).size();
	}

	private void awaitReadsOfAnother() {
		Partition other = shared.partition();
		PartitionReader another = TestActors.reader(shared, other, new RedisGate(null), new Permits(1, () -> {
		}), new InFlight(), new TestReceiver());
		another.start();
		for (int i = 1; i <= 10; i++) {
			int reads = i;
			Awaitility.await().until(() -> shared.scripts("read", other).size() >= reads);
			another.signal();
		}
		another.close();
	}

	private static final class TestReceiver implements PartitionReader.Receiver {

		private final List<List<DeliveryTask>> batches = new CopyOnWriteArrayList<>();

		private final List<Boolean> pauses = new CopyOnWriteArrayList<>();

		private volatile boolean open = true;

		private volatile boolean cautious;

		List<String> ids() {
			return this.batches.stream().flatMap(List::stream).map(DeliveryTask::id).toList();
		}

		@Override
		public boolean isOpen(Partition partition) {
			return this.open;
		}

		@Override
		public boolean isCautious() {
			return this.cautious;
		}

		@Override
		public void received(List<DeliveryTask> tasks) {
			if (!tasks.isEmpty()) {
				this.batches.add(List.copyOf(tasks));
			}
		}

		@Override
		public void unreadable(DeliveryTask task, RuntimeException problem) {
			throw new IllegalStateException(problem);
		}

		@Override
		public void pauseTurned(boolean paused) {
			this.pauses.add(paused);
		}

	}

}
