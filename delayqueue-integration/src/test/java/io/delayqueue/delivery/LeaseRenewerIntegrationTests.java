package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Leases;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.StoredId;
import io.delayqueue.test.redis.RedisServer;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which leases the heartbeat renews, which messages it gives back, and when it does not
 * run.
 */
@Tag("slow")
class LeaseRenewerIntegrationTests extends GatedPartition {

	private static final Duration SHORT = Duration.ofMillis(60);

	private final Map<String, ConsumerState> states = new ConcurrentHashMap<>();

	private final Recorder recorder = new Recorder();

	private final LeaseRenewer leaseRenewer = leaseRenewer(shared, this.partition, SHORT, this.gate);

	@AfterEach
	void stopHeartbeat() {
		this.leaseRenewer.stop();
	}

	@Test
	void leaseIsRenewedMoreOftenWithShorterVisibilityTimeout() {
		take("m");
		Partition slow = shared.partition();
		LeaseRenewer slower = leaseRenewer(shared, slow, SHORT.multipliedBy(10), this.gate);
		shared.schedule(slow, "s", Duration.ZERO);
		TestActors.hold(state(slow),
				shared.take(slow, TestActors.CONSUMER).stream().map((entry) -> TestActors.task(slow, entry)).toList());
		this.leaseRenewer.renewNow();
		slower.renewNow();

		Awaitility.await().until(() -> renewals(slow) >= 4);

		assertThat(renewals(this.partition)).isGreaterThan(2 * renewals(slow));
		assertThat(this.recorder.lost).isEmpty();
		slower.stop();
	}

	@Test
	void lostLeaseIsReported() {
		DeliveryTask lost = take("lost");
		DeliveryTask kept = take("kept");
		shared.call("XDEL", this.partition, "ready", lost.entry());
		shared.call("XACK", this.partition, "ready", "consumers", lost.entry());

		this.leaseRenewer.renewNow();

		Awaitility.await().until(() -> !this.recorder.lost.isEmpty());
		assertThat(this.recorder.lost).containsExactly("lost");
		assertThat(kept.isGivenUp()).isFalse();
	}

	@Test
	void leaseOfGivenUpMessageIsRenewedOnlyWhileItSettles() {
		DeliveryTask givenUp = take("given-up");
		givenUp.loseLease();
		DeliveryTask settling = take("settling");
		settling.loseLease();
		settling.enter(Stage.SETTLING);

		this.leaseRenewer.renewNow();

		Awaitility.await().until(() -> renewals(this.partition) >= 3);
		assertThat(shared.commands("XCLAIM", this.partition))
			.allSatisfy((claim) -> assertThat(claim).contains(settling.entry()).doesNotContain(givenUp.entry()));
	}

	@Test
	void messageOfLostReadReplyIsReleasedWithoutCountingCrash() {
		take("known");
		shared.schedule(this.partition, "unknown", Duration.ZERO);
		shared.take(this.partition, TestActors.CONSUMER);
		shared.schedule(this.partition, "of-another", Duration.ZERO);
		shared.take(this.partition, "another");

		this.leaseRenewer.renewNow();

		Awaitility.await().until(() -> this.recorder.givenBack.get() == 1);
		assertThat(shared.call("ZRANGE", this.partition, "scheduled", "0", "-1")).isEqualTo("[unknown]");
		assertThat(shared.call("HKEYS", this.partition, "failures")).isEqualTo("[]");
	}

	@Test
	void aRequestedRenewalReleasesTheMessagesOfALostReplySoon() {
		LeaseRenewer rare = leaseRenewer(shared, this.partition, Duration.ofHours(12), this.gate);
		shared.schedule(this.partition, "unknown", Duration.ZERO);
		shared.take(this.partition, TestActors.CONSUMER);
		TestActors.first(state(this.partition)).reading(System.nanoTime());
		TestActors.first(state(this.partition)).notReading();

		rare.renewNow();

		Awaitility.await().until(() -> this.recorder.givenBack.get() == 1);
		rare.stop();
	}

	@Test
	void thereAreNoCallsWhileNothingIsHeldAndNothingHasBeenRead() {
		LeaseRenewer often = leaseRenewer(shared, this.partition, SHORT, this.gate);
		often.renewNow();
		Awaitility.await().until(() -> heartbeats(this.partition) == 1);

		awaitHeartbeatsOfAnother();
		assertThat(heartbeats(this.partition)).isEqualTo(1);

		TestActors.first(state(this.partition)).reading(System.nanoTime());
		TestActors.first(state(this.partition)).notReading();

		Awaitility.await().until(() -> heartbeats(this.partition) == 2);
		often.stop();
	}

	@Test
	void heartbeatDoesNotRunWhileGateIsClosed() {
		take("m");
		closeGate();
		long now = System.nanoTime();
		this.leaseRenewer.renewNow();
		awaitHeartbeatsOfAnother();
		assertThat(renewals(this.partition)).isZero();
		assertThat(isRenewedSince(this.partition, now)).isFalse();

		this.answers.set(true);

		Awaitility.await().until(() -> isRenewedSince(this.partition, now));
		assertThat(renewals(this.partition)).isPositive();
	}

	@Test
	void heartbeatDoesNotRunWhileLayoutIsForeign() {
		take("m");
		shared.layout(this.partition, 3);
		Assertions.catchException(() -> shared.sweep(this.partition));
		this.leaseRenewer.renewNow();
		awaitHeartbeatsOfAnother();
		assertThat(renewals(this.partition)).isZero();

		shared.layout(this.partition, 1);
		shared.sweep(this.partition);

		Awaitility.await().until(() -> renewals(this.partition) > 0);
	}

	@Test
	void unreachableRedisClosesGateAndHeartbeatContinuesAfterwards() {
		try (RedisServer server = RedisServer.builder().start();
				ActorBench bench = new ActorBench(server.uri());
				RedisGate probing = new RedisGate(this.tasks, bench.calls()::answers)) {
			Partition orders = bench.partition();
			LeaseRenewer surviving = leaseRenewer(bench, orders, SHORT, probing);
			bench.schedule(orders, "m", Duration.ZERO);
			TestActors.hold(state(orders),
					List.of(TestActors.task(orders, bench.take(orders, TestActors.CONSUMER).get(0))));
			long start = System.nanoTime();
			surviving.renewNow();
			Awaitility.await().until(() -> isRenewedSince(orders, start));

			server.kill();
			Awaitility.await().until(() -> !probing.isOpen());
			server.start();

			long back = System.nanoTime();
			Awaitility.await().until(() -> isRenewedSince(orders, back));
			surviving.stop();
		}
	}

	@Test
	void heartbeatDoesNotRunAfterStop() {
		take("m");
		this.leaseRenewer.renewNow();
		Awaitility.await().until(() -> renewals(this.partition) > 0);

		this.leaseRenewer.stop();
		this.leaseRenewer.renewNow();

		awaitHeartbeatsOfAnother();
		long renewals = renewals(this.partition);
		awaitHeartbeatsOfAnother();
		assertThat(renewals(this.partition)).isEqualTo(renewals);
	}

	private DeliveryTask take(String id) {
		shared.schedule(this.partition, id, Duration.ZERO);
		DeliveryTask task = TestActors.task(this.partition, shared.take(this.partition, TestActors.CONSUMER).get(0));
		TestActors.hold(state(this.partition), List.of(task));
		return task;
	}

	private static long heartbeats(Partition of) {
		return shared.commands("XPENDING", of).size();
	}

	private static long renewals(Partition of) {
		return shared.commands("XCLAIM", of).size();
	}

	private void awaitHeartbeatsOfAnother() {
		Partition other = shared.partition();
		LeaseRenewer another = leaseRenewer(shared, other, SHORT, new RedisGate(this.tasks, null));
		Awaitility.await().until(() -> {
			another.renewNow();
			return shared.commands("XPENDING", other).size() >= 10;
		});
		another.stop();
	}

	private boolean isRenewedSince(Partition of, long nanos) {
		return TestActors.first(state(of)).isRenewedSince(nanos);
	}

	private ConsumerState state(Partition of) {
		return Objects.requireNonNull(this.states.get(of.queue()));
	}

	private LeaseRenewer leaseRenewer(ActorBench bench, Partition of, Duration visibilityTimeout, RedisGate with) {
		ConsumerState state = TestActors.state(TestActors.settings(of, 10, 3), with);
		this.states.put(of.queue(), state);
		TestActors.first(state).visibilityTimeout(visibilityTimeout);
		return new LeaseRenewer(TestActors.first(state), state, new PendingMessages(bench.calls()),
				new Leases(bench.calls()), TestActors.listener(bench, state, new Signals(), this.recorder), this.tasks);
	}

	private static final class Recorder implements QueueObserver {

		private final List<String> lost = new CopyOnWriteArrayList<>();

		private final AtomicInteger givenBack = new AtomicInteger();

		@Override
		public void leaseLost(String queue, StoredId id) {
			this.lost.add(id.id());
		}

		@Override
		public void released(String queue, int messages) {
			this.givenBack.addAndGet(messages);
		}

	}

}
