package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class QueueDirectoryIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@AfterEach
	void clear() {
		this.partition.redis().call("DEL", this.store.calls().keySpace().queues());
	}

	@Test
	void queuesAreListedWithTheirPartitionCounts() {
		assertThat(directory().all()).isEmpty();
		directory().enter(settings("b", 1));
		directory().enter(settings("a", 16));
		directory().enter(settings("a", 16));
		assertThat(directory().all()).containsExactly(Map.entry("a", 16), Map.entry("b", 1));
	}

	@Test
	void thePartitionCountOfOneQueueIsFound() {
		directory().enter(settings("a", 16));
		assertThat(directory().partitions("a")).isEqualTo(16);
		assertThat(directory().partitions("b")).isZero();
		assertThat(directory().partitions("\r\nGET x\0")).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "0", "-1", "1025", "many", "99999999999999999999", "1.5" })
	void aCountOfAnotherProgramIsRefusedWithItsKeyAndField(String count) {
		this.partition.redis().call("HSET", this.store.calls().keySpace().queues(), "orders", count);
		Stream
			.<Runnable>of(() -> directory().all(), () -> directory().partitions("orders"),
					() -> directory().enter(settings("orders", 1)))
			.forEach((call) -> assertThatExceptionOfType(StoreException.class).isThrownBy(call::run)
				.withMessageContaining(this.store.calls().keySpace().queues())
				.withMessageContaining("queue 'orders'")
				.withMessageContaining("remove the field")
				.satisfies((failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED)));
	}

	@Test
	void anEmptyQueueMayChangeItsPartitionCount() {
		directory().enter(settings("orders", 4));
		directory().enter(settings("orders", 2));
		assertThat(directory().all()).containsExactly(Map.entry("orders", 2));
	}

	@Test
	void aQueueThatHoldsMessagesMayNotChangeItsPartitionCount() {
		directory().enter(settings("orders", 4));
		States.scheduled("a").prepare(this.partition);
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> directory().enter(settings("orders", 2)))
			.withMessageContaining("Queue 'orders' has 4 partitions and holds messages or dead letters")
			.withMessageContaining("delayqueue.queues.orders.partitions is 2")
			.satisfies((failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED));
		assertThat(directory().all()).containsExactly(Map.entry("orders", 4));
		this.store.cancel("a", 50);
		directory().enter(settings("orders", 2));
		assertThat(directory().all()).containsExactly(Map.entry("orders", 2));
	}

	@Test
	void aConsumedQueueMayNotChangeItsPartitionCount() {
		directory().enter(settings("orders", 1));
		Entry held = States.pending("a").prepare(this.partition).get(0);
		this.store.acknowledge(held);
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> directory().enter(settings("orders", 2)))
			.withMessageContaining("Queue 'orders' has 1 partitions and is consumed by a process that uses this count")
			.withMessageContaining("delayqueue.queues.orders.partitions is 2");
		this.store.leases().removeConsumers(this.store.partition(), "holder");
		directory().enter(settings("orders", 2));
		assertThat(directory().all()).containsExactly(Map.entry("orders", 2));
	}

	@Test
	void aProducerWithTheOldCountIsRefusedAndStoresNothing() {
		directory().enter(settings("orders", 1));
		this.store.schedule("a", States.FAR, 1);
		this.store.cancel("a", 50);
		directory().enter(settings("orders", 2));
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.schedule("b", States.FAR, 2))
			.withMessageContaining("PARTITIONS 2 are stored, 1 are known");
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	@Test
	void claimsAreUndoneWhenAnotherPartitionHoldsMessages() {
		directory().enter(settings("orders", 2));
		Partition second = new Partition("orders", 1);
		this.store.scheduled()
			.schedule(second, TestStore.settings(2, TestStore.MAX_DELAY, GroupSettings.NONE),
					List.of(TestMessages.message("b", States.FAR, 2)));
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> directory().enter(settings("orders", 1)));
		assertThat(this.partition.dump().control()).containsEntry("partitions", "2");
		this.store.known().cancel(second, TestMessages.key("b"), TestMessages.token(50), Duration.ZERO);
	}

	@Test
	void anInterruptedChangeIsCompletedByTheNextCall() {
		QueueDirectory directory = directory();
		QueueSettings settings = settings("orders", TestStore.PARTITIONS);
		directory.enter(settings);
		assertThat(this.store.claim(4)).isEqualTo("claimed");
		StoreException refusal = catchThrowableOfType(StoreException.class,
				() -> this.store.schedule("a", States.FAR, 1));

		assertThat(directory.completeChange(settings, this.store.partition(), refusal)).isTrue();
		assertThat(this.store.schedule("a", States.FAR, 1).stored()).isEqualTo(Stored.CREATED);
		assertThat(directory.completeChange(settings("orders", 4), this.store.partition(), refusal)).isFalse();
	}

	@Test
	void threadsThatChangeTheCountConcurrentlyReachOneResult() throws Exception {
		directory().enter(settings("orders", 2));
		Partition last = new Partition("orders", 1);
		this.store.scheduled()
			.schedule(last, TestStore.settings(2, TestStore.MAX_DELAY, GroupSettings.NONE),
					List.of(TestMessages.message("b", States.FAR, 2)));
		QueueDirectory directory = directory();
		CountDownLatch refused = new CountDownLatch(4);
		List<CompletableFuture<Void>> threads = Stream
			.generate(() -> CompletableFuture.runAsync(() -> enterEventually(directory, refused)))
			.limit(4)
			.toList();
		refused.await();
		this.store.known().cancel(last, TestMessages.key("b"), TestMessages.token(50), Duration.ZERO);
		threads.forEach(CompletableFuture::join);

		for (int number = 0; number < 4; number++) {
			String control = this.store.calls().keySpace().name(new Partition("orders", number), Key.CONTROL);
			assertThat(this.partition.redis().text("HGET", control, "partitions")).isEqualTo("4");
		}
	}

	private static void enterEventually(QueueDirectory directory, CountDownLatch refused) {
		while (true) {
			try {
				directory.enter(settings("orders", 4));
				return;
			}
			catch (StoreException holds) {
				refused.countDown();
			}
		}
	}

	@Test
	void aQueueWhoseKeysWereRemovedIsRegisteredAgain() {
		QueueDirectory directory = directory();
		directory.enter(settings("orders", 4));
		this.partition.redis().call("DEL", this.store.calls().keySpace().queues());
		directory.remember(settings("orders", 4));
		assertThat(directory.all()).containsExactly(Map.entry("orders", 4));
	}

	@Test
	void aQueueIsRegisteredOnceByEachProcess() {
		QueueDirectory directory = directory();
		directory.enter(settings("orders", 4));
		this.partition.redis().call("DEL", this.store.calls().keySpace().queues());
		directory.enter(settings("orders", 4));
		assertThat(directory.all()).isEmpty();
	}

	private QueueDirectory directory() {
		return new QueueDirectory(this.store.calls());
	}

	private static QueueSettings settings(String name, int partitions) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(name, partitions, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER);
	}

}
