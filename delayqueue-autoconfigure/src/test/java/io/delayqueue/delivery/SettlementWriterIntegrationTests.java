package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Settled;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the settlement writer settles what was decided, and what it does while Redis
 * cannot be reached or refuses.
 */
@SuppressWarnings("NullAway.Init")
class SettlementWriterIntegrationTests {

	private static ActorBench shared;

	private final AtomicBoolean answers = new AtomicBoolean(true);

	private final RedisGate gate = new RedisGate(this.answers::get);

	private final Partition partition = shared.partition();

	private final Recorder recorder = new Recorder();

	private final SettlementWriter settlementWriter = settlementWriter(shared, this.partition, this.gate);

	@BeforeAll
	static void start() {
		shared = new ActorBench(SharedRedis.get().uri());
	}

	@AfterAll
	static void stop() {
		shared.close();
	}

	@AfterEach
	void stopSettler() {
		this.settlementWriter.stop(Duration.ZERO);
		this.gate.close();
	}

	@Test
	void eachKindOfSettlementBringsItsMessageWhereItBelongs() {
		List<DeliveryTask> tasks = take(shared, this.partition, 5);
		FailureNote note = FailureReason.CRASHED.because("it failed");
		this.settlementWriter.start();

		this.settlementWriter.add(Settlement.acknowledge(tasks.get(0)));
		this.settlementWriter.add(Settlement.release(tasks.get(1)));
		this.settlementWriter.add(Settlement.retry(tasks.get(2), Duration.ofHours(1), note));
		this.settlementWriter.add(Settlement.defer(tasks.get(3), Duration.ofHours(2)));
		this.settlementWriter.add(Settlement.deadLetter(tasks.get(4), note));

		Awaitility.await().until(() -> this.recorder.settled.size() == 5);
		assertThat(this.recorder.settled).containsValues(Settled.COUNTED).doesNotContainValue(Settled.GONE);
		assertThat(shared.call("HKEYS", this.partition, "messages")).doesNotContain("m-0");
		assertThat(shared.call("ZRANGE", this.partition, "scheduled", "0", "-1")).isEqualTo("[m-1, m-2, m-3]");
		assertThat(shared.call("ZRANGE", this.partition, "dead", "0", "-1")).isEqualTo("[m-4]");
		assertThat(shared.call("XLEN", this.partition, "ready")).isEqualTo("0");
	}

	@Test
	void whatWaitedForTheGateIsAcknowledgedInOneCall() {
		this.answers.set(false);
		this.gate.lost(new IllegalStateException("cut"));
		this.settlementWriter.start();
		take(shared, this.partition, 50).forEach((task) -> this.settlementWriter.add(Settlement.acknowledge(task)));
		awaitSettlementsOfAnother();
		assertThat(calls("acknowledge")).isZero();

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		this.settlementWriter.wakeUp();

		Awaitility.await().until(() -> this.recorder.settled.size() == 50);
		assertThat(calls("acknowledge")).isEqualTo(1);
		assertThat(this.recorder.refused).isEmpty();
	}

	@Test
	void aSettlementOfAMessageThatIsGoneIsReportedAsSuch() {
		DeliveryTask task = take(shared, this.partition, 1).get(0);
		shared.call("DEL", this.partition, "entries");
		this.settlementWriter.start();

		this.settlementWriter.add(Settlement.acknowledge(task));

		Awaitility.await().until(() -> this.recorder.settled.size() == 1);
		assertThat(this.recorder.settled.get("m-0")).isNotEqualTo(Settled.COUNTED);
	}

	@Test
	void aKindThatRedisRefusesWaitsWithoutAPermitWhileTheOthersGoOn() {
		List<DeliveryTask> tasks = take(shared, this.partition, 4);
		shared.call("SET", this.partition, "dead", "of another type");
		this.settlementWriter.start();
		FailureNote note = FailureReason.CRASHED.because("it failed");

		this.settlementWriter.add(Settlement.deadLetter(tasks.get(0), note));
		this.settlementWriter.add(Settlement.deadLetter(tasks.get(1), note));
		Awaitility.await().until(() -> this.recorder.refused.size() == 2);
		this.settlementWriter.add(Settlement.acknowledge(tasks.get(2)));
		Awaitility.await().until(() -> this.recorder.settled.containsKey("m-2"));
		assertThat(this.settlementWriter.acceptsMore()).as("for as many as may be handled at once").isFalse();
		assertThat(this.settlementWriter.status().failures()).isPositive();

		shared.call("DEL", this.partition, "dead");

		Awaitility.await().until(() -> this.recorder.settled.size() == 3);
		assertThat(this.settlementWriter.acceptsMore()).isTrue();
		assertThat(this.recorder.refused).as("reported once").containsExactlyInAnyOrder("m-0", "m-1");
	}

	@Test
	void whatIsOfAnotherLayoutIsSettledOnceTheLayoutIsKnown() {
		DeliveryTask task = take(shared, this.partition, 1).get(0);
		shared.layout(this.partition, 2);
		this.settlementWriter.start();
		this.settlementWriter.add(Settlement.acknowledge(task));
		Awaitility.await().until(() -> calls("acknowledge") >= 2);
		assertThat(this.recorder.refused).containsExactly("m-0");
		assertThat(this.recorder.settled).isEmpty();
		assertThat(this.settlementWriter.status().failures()).as("no fault of Redis").isZero();

		shared.layout(this.partition, 1);

		Awaitility.await().until(() -> this.recorder.settled.containsKey("m-0"));
	}

	@Test
	void aCallThatDoesNotReachRedisClosesTheGateAndIsRepeated() {
		try (RedisServer server = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();
				ActorBench bench = new ActorBench(server.uri())) {
			RedisGate probing = new RedisGate(bench.bean(RedisCalls.class)::answers);
			Partition orders = bench.partition();
			SettlementWriter surviving = settlementWriter(bench, orders, probing);
			DeliveryTask task = take(bench, orders, 1).get(0);
			surviving.start();

			server.kill();
			surviving.add(Settlement.acknowledge(task));
			Awaitility.await().until(() -> !probing.isOpen());
			server.start();
			Awaitility.await().until(probing::isOpen);
			surviving.wakeUp();

			Awaitility.await().until(() -> this.recorder.settled.size() == 1);
			assertThat(this.recorder.settled).containsEntry("m-0", Settled.COUNTED);
			assertThat(this.recorder.refused).isEmpty();
			surviving.stop(Duration.ZERO);
			probing.close();
		}
	}

	@Test
	void afterStopNothingIsSettled() {
		DeliveryTask task = take(shared, this.partition, 1).get(0);
		this.settlementWriter.start();

		assertThat(this.settlementWriter.stop(Duration.ofMinutes(1))).isTrue();
		this.settlementWriter.add(Settlement.acknowledge(task));

		awaitSettlementsOfAnother();
		assertThat(calls("acknowledge")).isZero();
	}

	private int calls(String script) {
		return shared.scripts(script, this.partition).size();
	}

	private void awaitSettlementsOfAnother() {
		Partition other = shared.partition();
		Recorder recorded = new Recorder();
		SettlementWriter another = new SettlementWriter(other, TestActors.settings(other, 2, 3),
				shared.bean(ReadyMessages.class), new RedisGate(null), recorded);
		another.start();
		List<DeliveryTask> tasks = take(shared, other, 10);
		for (DeliveryTask task : tasks) {
			another.add(Settlement.acknowledge(task));
			Awaitility.await().until(() -> recorded.settled.containsKey(task.id()));
		}
		another.stop(Duration.ZERO);
	}

	private SettlementWriter settlementWriter(ActorBench bench, Partition of, RedisGate with) {
		return new SettlementWriter(of, TestActors.settings(of, 2, 3), bench.bean(ReadyMessages.class), with,
				this.recorder);
	}

	private static List<DeliveryTask> take(ActorBench bench, Partition of, int messages) {
		IntStream.range(0, messages).forEach((i) -> bench.schedule(of, "m-" + i, Duration.ZERO));
		return bench.take(of, TestActors.CONSUMER).stream().map((entry) -> TestActors.task(of, entry)).toList();
	}

	private static final class Recorder implements SettlementWriter.Settlements {

		private final Map<String, Settled> settled = new ConcurrentHashMap<>();

		private final List<String> refused = new CopyOnWriteArrayList<>();

		@Override
		public void settled(Settlement settlement, Settled met) {
			this.settled.put(settlement.task().id(), met);
		}

		@Override
		public void refused(Settlement settlement) {
			settlement.task().strand();
			this.refused.add(settlement.task().id());
		}

		@Override
		public void givenBack(Partition partition) {
		}

		@Override
		public void newHead(Partition partition, long inNanos) {
		}

	}

}
