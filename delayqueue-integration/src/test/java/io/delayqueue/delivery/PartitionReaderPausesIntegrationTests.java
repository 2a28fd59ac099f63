package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the partition reader does not read, and what makes it read again.
 */
@Tag("slow")
class PartitionReaderPausesIntegrationTests extends ReadPartition {

	@Test
	void whileTheConsumerIsPausedOrTheGateIsClosedNothingIsRead() {
		makeReady(1);
		this.paused.set(true);
		this.reader.start();
		awaitReadsOfAnother();
		closeGate();
		this.paused.set(false);
		this.reader.signal();
		awaitReadsOfAnother();
		assertThat(reads()).isZero();
		assertThat(this.state.permits().taken()).isZero();

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		this.reader.signal();

		Awaitility.await().until(() -> this.running.size() == 1);
	}

	@Test
	void aPauseForAllProcessesIsSeenAndItsEndMakesItReadAgain() {
		makeReady(1);
		shared.call("HSET", this.partition, "control", "paused", "1");
		this.reader.start();
		Awaitility.await().until(() -> this.state.isAny(Read.State.PAUSED));
		assertThat(this.running).isEmpty();

		shared.call("HDEL", this.partition, "control", "paused");
		this.reader.signal();

		Awaitility.await().until(() -> this.running.size() == 1);
		assertThat(this.state.isAny(Read.State.PAUSED)).isFalse();
	}

	@Test
	void partitionWithForeignLayoutIsReadAfterLayoutIsRestored() {
		makeReady(1);
		shared.layout(this.partition, 3);
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		this.reader.signal();
		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(1);
		assertThat(this.tasks.statuses()).as("no fault of Redis").extracting(TaskStatus::failures).containsOnly(0);
		assertThat(this.state.permits().taken()).isZero();

		shared.layout(this.partition, 1);
		shared.sweep(this.partition);
		this.reader.signal();

		Awaitility.await().until(() -> this.running.size() == 1);
	}

	@Test
	void unreachableRedisClosesGateAndFreesPermits() {
		try (RedisServer server = RedisServer.builder().start();
				ActorBench bench = new ActorBench(server.uri());
				RedisGate probing = new RedisGate(this.tasks, bench.calls()::answers)) {
			Partition orders = bench.partition();
			ConsumerState surviving = state(orders, probing);
			PartitionReader reading = reader(bench, surviving);
			reading.start();
			Awaitility.await().until(() -> bench.scripts("read", orders).size() == 1);

			server.kill();
			reading.signal();
			Awaitility.await().until(() -> !probing.isOpen());
			Awaitility.await().until(() -> surviving.permits().taken() == 0);
			server.start();
			Awaitility.await().until(probing::isOpen);
			bench.schedule(orders, "back", Duration.ZERO);
			bench.sweep(orders);
			reading.signal();

			Awaitility.await().until(() -> this.running.containsKey("back"));
			reading.close();
		}
	}

	@Test
	void aRenewalIsRequestedWhenTheReplyOfAReadIsLost() {
		AtomicBoolean renewed = new AtomicBoolean();
		try (FaultProxy proxy = FaultProxy.to(SharedRedis.get().host(), SharedRedis.get().port());
				ActorBench bench = new ActorBench(proxy.uri())) {
			Partition orders = bench.partition();
			ConsumerState cut = state(orders, this.gate);
			TestActors.first(cut).onRenewal(() -> renewed.set(true));
			PartitionReader reading = reader(bench, cut);
			proxy.cutNextReplyTo(Scripts.digest("read"));

			reading.start();

			Awaitility.await().untilTrue(renewed);
			reading.close();
		}
	}

	@Test
	void nothingIsReadAfterClose() {
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		makeReady(1);

		this.reader.close();
		assertThat(this.reader.await(Duration.ofMinutes(1))).isTrue();
		this.reader.signal();

		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(1);
	}

}
