package io.delayqueue.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Hint;
import io.delayqueue.store.Hint.Kind;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the hint listener is subscribed, and how it handles a hint.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class HintListenerIntegrationTests {

	private static final Epochs ORDERS = Epochs.first("orders", 1);

	private static RedisServer redis;

	private static ActorBench bench;

	private final AtomicBoolean answers = new AtomicBoolean(true);

	private final TaskPool tasks = new TaskPool();

	private final RedisGate gate = new RedisGate(this.tasks, this.answers::get);

	private final List<Partition> due = new CopyOnWriteArrayList<>();

	private final HintChannel own = channel();

	private final HintListener listener = listener(this.own, ActorBench.signals("orders", this.due::add), this.gate);

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.builder().start();
		bench = new ActorBench(redis.uri());
	}

	@AfterAll
	static void stopRedis() {
		bench.close();
		redis.close();
	}

	@AfterEach
	void stop() {
		this.listener.stop();
		this.gate.close();
		this.tasks.close();
		awaitSubscribers(0);
	}

	@Test
	void onlyHintsOfOtherProcessesBecomeSignals() {
		consume();
		awaitSubscribers(1);

		this.own.publish(new Hint(Kind.DUE, new Partition("orders", 1)), null);
		channel().publish(new Hint(Kind.DUE, new Partition("orders", 2)), null);
		channel().publish(new Hint(Kind.DUE, new Partition("invoices", 0)), null);
		channel().publish(new Hint(Kind.DUE, new Partition("orders", 0)), null);

		Awaitility.await().until(() -> this.due.size() >= 2);
		assertThat(this.due).containsExactly(new Partition("orders", 2), new Partition("orders", 0));
	}

	@Test
	void listenerSubscribesOnceWhenFirstConsumerStarts() {
		long before = subscriptions();
		assertThat(this.listener.isRunning()).isFalse();
		assertThat(subscriptions()).isEqualTo(before);

		consume();
		awaitSubscribers(1);
		this.listener.consuming(Epochs.first("invoices", 1));
		this.listener.notConsuming("invoices");

		awaitHint();
		assertThat(this.listener.isRunning()).isTrue();
		assertThat(subscriptions()).isEqualTo(before + 1);
	}

	@Test
	void listenerDoesNotSubscribeWhileGateIsClosed() {
		this.answers.set(false);
		this.gate.lost(new IllegalStateException("cut"));
		long before = subscriptions();
		consume();
		awaitSubscriptionsOfAnother();
		assertThat(subscriptions()).isEqualTo(before + 3);

		this.answers.set(true);

		awaitSubscribers(1);
		awaitHint();
	}

	@Test
	void subscriptionIsRenewedWhenRedisEndsIt() {
		consume();
		awaitSubscribers(1);
		long before = subscriptions();

		endSubscriptions();

		Awaitility.await().until(() -> subscriptions() > before);
		awaitSubscribers(1);
		awaitHint();
	}

	@Test
	void subscriptionIsRenewedWhenRedisAnswersAgain() {
		consume();
		awaitSubscribers(1);
		long before = subscriptions();

		this.gate.lost(new IllegalStateException("cut"));

		Awaitility.await().until(() -> subscriptions() > before);
		awaitSubscribers(1);
		awaitHint();
	}

	@Test
	void afterStopHintsAreIgnoredUntilConsumerStarts() {
		consume();
		awaitSubscribers(1);

		this.listener.stop();

		awaitSubscribers(0);
		assertThat(this.listener.isRunning()).isFalse();
		channel().publish(new Hint(Kind.DUE, new Partition("orders", 3)), null);
		consume();
		awaitSubscribers(1);
		awaitHint();
		assertThat(this.due).doesNotContain(new Partition("orders", 3));
	}

	@Test
	@DisplayName("a process that alone gets a hint outside its turn sweeps, because the sender may have an older list")
	void hintOutsideTheTurnIsFollowed() {
		AtomicLong outside = new AtomicLong();
		AtomicLong ofAll = new AtomicLong();
		Signals signals = new Signals();
		signals.consuming(ORDERS, new Signals.PartitionSignals() {

			@Override
			public void due(Partition partition, long inNanos) {
				ofAll.incrementAndGet();
			}

			@Override
			public void switched(Partition partition) {
				outside.incrementAndGet();
			}

		});
		Members members = new Members(bench.calls(), "another");
		Fleet fleet = bench.fleet(signals, this.gate);
		HintListener taking = new HintListener(channel(), signals, fleet, this.gate, bench.wakeups(signals, fleet),
				this.tasks);
		signals.changed(ORDERS, signals.consumer("orders"));
		fleet.consumes("orders");
		awaitSubscribers(1);

		Awaitility.await().pollInterval(Duration.ofMillis(50)).until(() -> {
			members.refresh("another", new TreeMap<>(Map.of("orders", ORDERS)), "");
			channel().publish(new Hint(Kind.DUE, new Partition("orders", 0)), fleet.member());
			return outside.get() > 0;
		});

		hintToAll(ofAll);
		long before = outside.get();
		// More than one turn of the other member
		for (int n = 0; n < 40; n++) {
			hintToAll(ofAll);
		}
		assertThat(outside).hasValue(before);

		assertThat(fleet.order(new Partition("orders", 0))).contains("another", fleet.member());
		taking.stop();
		fleet.stop();
		members.leave("another");
	}

	private static void hintToAll(AtomicLong received) {
		long before = received.get();
		channel().publish(new Hint(Kind.DUE, new Partition("orders", 0)), null);
		Awaitility.await().pollInterval(Duration.ofMillis(50)).until(() -> received.get() > before);
	}

	private HintListener listener(HintChannel channel, Signals signals, RedisGate gate) {
		Fleet fleet = bench.fleet(new Signals(), gate);
		return new HintListener(channel, signals, fleet, gate, bench.wakeups(signals, fleet), this.tasks);
	}

	private void consume() {
		this.listener.consuming(ORDERS);
	}

	private void awaitHint() {
		channel().publish(new Hint(Kind.DUE, new Partition("orders", 7)), null);
		Awaitility.await().until(() -> this.due.contains(new Partition("orders", 7)));
	}

	/** Waits for another listener, whose subscription Redis ends twice. */
	private void awaitSubscriptionsOfAnother() {
		HintListener another = listener(channel(), new Signals(), new RedisGate(this.tasks, null));
		another.consuming(ORDERS);
		awaitSubscribers(1);
		for (int times = 0; times < 2; times++) {
			long before = subscriptions();
			endSubscriptions();
			Awaitility.await().until(() -> subscriptions() > before);
			awaitSubscribers(1);
		}
		another.stop();
		awaitSubscribers(0);
	}

	private static void endSubscriptions() {
		redis.call("CLIENT", "KILL", "TYPE", "pubsub");
	}

	private static void awaitSubscribers(long count) {
		Awaitility.await()
			.until(() -> ((List<?>) redis.call("PUBSUB", "NUMSUB", bench.prefix() + ":hints")).get(1).equals(count));
	}

	/** The number of SUBSCRIBE commands so far. */
	private static long subscriptions() {
		return bench.count("SUBSCRIBE");
	}

	private static HintChannel channel() {
		return new HintChannel(bench.calls());
	}

}
