package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class QueueDirectoryIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@AfterEach
	void clear() {
		this.partition.redis().call("DEL", this.store.calls().keySpace().queues());
		this.partition.redis().call("DEL", epochs());
		for (int epoch = 1; epoch <= 3; epoch++) {
			Partition later = new Partition("orders", epoch, 0);
			this.partition.redis().call("DEL", this.store.calls().keySpace().name(later, Key.CONTROL));
		}
	}

	@Test
	void queuesAreListedWithTheirPartitionCounts() {
		assertThat(directory().all()).isEmpty();
		directory().register(settings("b", 1));
		directory().register(settings("a", 16));
		directory().register(settings("a", 16));
		assertThat(directory().all()).containsExactly(Map.entry("a", Epochs.first("a", 16)),
				Map.entry("b", Epochs.first("b", 1)));
	}

	@Test
	void thePartitionCountOfOneQueueIsFound() {
		directory().register(settings("a", 16));
		assertThat(directory().read("a")).contains(Epochs.first("a", 16));
		assertThat(directory().read("b")).isEmpty();
		assertThat(directory().read("\r\nGET x\0")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "0", "-1", "1025", "many", "99999999999999999999", "1.5" })
	void aCountOfAnotherProgramIsRefusedWithItsKeyAndField(String count) {
		this.partition.redis().call("HSET", this.store.calls().keySpace().queues(), "orders", count);
		Stream
			.<Runnable>of(() -> directory().all(), () -> directory().read("orders"),
					() -> directory().register(settings("orders", 1)))
			.forEach((call) -> assertThatExceptionOfType(StoreException.class).isThrownBy(call::run)
				.withMessageContaining(this.store.calls().keySpace().queues())
				.withMessageContaining("queue 'orders'")
				.withMessageContaining("remove the field")
				.satisfies((failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED)));
	}

	@Test
	void onlyAHigherCountThanEverIsReported() {
		List<Integer> higher = new ArrayList<>();
		directory().register(settings("orders", 4));
		for (int count : List.of(2, 4, 8)) {
			QueueDirectory directory = directory();
			directory.onHigherCount((settings) -> higher.add(settings.partitions()));
			assertThat(directory.register(settings("orders", count)).current().partitions()).isEqualTo(4);
		}
		assertThat(higher).containsExactly(8);
	}

	@Test
	void epochsAreChangedByCompareAndSet() {
		QueueDirectory one = directory();
		QueueDirectory other = directory();
		Epochs first = one.register(settings("orders", 1));
		other.register(settings("orders", 1));
		Epochs announced = first.announce(8, 8);

		assertThat(one.change(first, announced)).isTrue();
		assertThat(one.change(first, announced)).as("repeated").isTrue();
		assertThat(other.change(first, first.announce(3, 3))).isFalse();
		assertThat(other.read("orders")).contains(announced);
		assertThat(announced.current()).isEqualTo(first.current());
		assertThat(other.change(announced, announced.activate())).isTrue();
		assertThat(one.read("orders").orElseThrow().text()).isEqualTo("8;1,1:8");
		assertThat(one.all()).containsOnlyKeys("orders").containsValue(announced.activate());
	}

	@Test
	void aChangeIsReadWhenTheVersionHasChangedAndReportedOnce() {
		QueueDirectory reader = directory();
		List<String> read = new ArrayList<>();
		reader.onChange((epochs) -> read.add(epochs.text()));
		Epochs first = reader.register(settings("orders", 1));
		QueueDirectory writer = directory();
		writer.change(first, first.announce(8, 8));

		reader.refresh(1);
		reader.refresh(1);

		assertThat(read).containsExactly("1", "8;1,1:8?");
		assertThat(reader.cached(settings("orders", 1)).newest().partitions()).isEqualTo(8);
	}

	@Test
	void aChangeWhoseVersionWasLostIsReadToo() {
		Members members = new Members(this.store.calls());
		QueueDirectory reader = directory();
		Epochs first = reader.register(settings("orders", 1));
		reader.refresh(members.list("").epochsVersion());
		directory().change(first, first.announce(8, 8));
		this.partition.redis().call("HDEL", epochs(), "");

		reader.refresh(members.list("").epochsVersion());

		Epochs read = reader.cached(settings("orders", 1));
		assertThat(read.newest().partitions()).isEqualTo(8);
		directory().change(read, read.activate());
		reader.refresh(members.list("").epochsVersion());
		assertThat(reader.cached(settings("orders", 1))).isEqualTo(read.activate());
	}

	@Test
	void aLossIsReadAlsoIfTheVersionIsThatBeforeTheLastRead() {
		QueueDirectory reader = directory();
		long before = new Members(this.store.calls()).list("").epochsVersion();
		reader.recurring().mark("orders");
		reader.refresh(before);
		this.partition.redis().call("DEL", epochs());

		reader.refresh(before);

		assertThat(reader.recurring().contains("orders")).isFalse();
	}

	@Test
	void aClosedPartitionRestoresAnEpochThatTheDirectoryHasLost() {
		QueueDirectory directory = directory();
		directory.register(settings("orders", 1));
		close(0, "1,1:8");

		Epochs followed = directory.refreshFrom(this.store.partition());

		assertThat(followed.current().partitions()).isEqualTo(8);
		assertThat(directory().read("orders")).contains(followed);
	}

	@Test
	void theFirstUseRestoresAllEpochsThatTheDirectoryHasLost() {
		close(0, "1,1:8,2:3");

		Epochs restored = directory().register(settings("orders", 1));

		assertThat(restored.text()).isEqualTo("8;1,1:8,2:3");
		assertThat(directory().read("orders")).contains(restored);
	}

	@Test
	void epochsThatOnlyANewerClosedPartitionNamesAreRestoredToo() {
		close(0, "1,1:8");
		close(1, "1:8,2:3");
		close(2, "1:8,2:3,3:4");
		directory().register(settings("orders", 1));
		assertThat(directory().read("orders").orElseThrow().text()).isEqualTo("8;1,1:8,2:3,3:4");
	}

	@Test
	void aClosedPartitionNamesTheNewestEpochsThatItHasBeenClosedFor() {
		close(0, "1,1:8,2:3");
		close(0, "1,1:8");
		assertThat(closed()).isEqualTo("1:8,2:3");
		close(0, "1,2:3,3:4,4:5?");
		assertThat(closed()).isEqualTo("2:3,3:4");
	}

	private @Nullable Object closed() {
		return this.partition.redis().call("HGET", this.partition.key(Key.CONTROL), "closed");
	}

	/** Closes the first partition of an epoch. */
	private void close(int epoch, String epochs) {
		new EpochCalls(this.store.calls()).close(new Partition("orders", epoch, 0), Epochs.from("orders", epochs));
	}

	@Test
	void aMessageOfAClosedPartitionBelongsToTheAnnouncedEpochWhichStaysAnnounced() {
		QueueDirectory directory = directory();
		Epochs first = directory.register(settings("orders", 1));
		Epochs announced = first.announce(8, 8);
		directory.change(first, announced);
		new EpochCalls(this.store.calls()).close(this.store.partition(), announced.activate());

		assertThat(directory.refreshFrom(this.store.partition())).isEqualTo(announced.activate());
		assertThat(directory().read("orders")).contains(announced);
	}

	@Test
	void anEpochThatAFailoverHasLostIsWrittenAgain() {
		QueueDirectory directory = directory();
		Epochs first = directory.register(settings("orders", 1));
		directory.change(first, first.announce(8, 8));
		clear();

		directory.refresh(7);

		assertThat(directory().read("orders")).isEmpty();
		directory().register(settings("orders", 1));
		assertThat(directory().read("orders").orElseThrow().newest().partitions()).isEqualTo(8);
	}

	@Test
	void theFirstPartitionKeepsTheCountOfAQueueWhoseRegistrationWasLost() {
		directory().register(settings("orders", TestStore.PARTITIONS));
		this.store.schedule("a", States.FAR, 1);
		clear();
		assertThat(directory().register(settings("orders", 64)).current().partitions()).isEqualTo(TestStore.PARTITIONS);
	}

	@Test
	void manyQueuesAreEnteredAsEachIsAlone() {
		directory().register(settings("known", 4));
		close(0, "1,1:8");
		QueueDirectory directory = directory();
		List<String> higher = new ArrayList<>();
		directory.onHigherCount((settings) -> higher.add(settings.name()));

		List<Epochs> entered = directory.registerAll(
				List.of(settings("new", 2), settings("known", 16), settings("orders", 1), settings("other", 3)));

		assertThat(entered).extracting(Epochs::text).containsExactly("2", "4", "8;1,1:8", "3");
		assertThat(higher).containsExactly("known");
		assertThat(directory.all().values()).containsExactlyInAnyOrderElementsOf(entered);
		assertThat(directory.isNew("other")).isFalse();
	}

	@Test
	void aQueueWhoseKeysWereRemovedIsRegisteredAgain() {
		QueueDirectory directory = directory();
		directory.register(settings("orders", 4));
		this.partition.redis().call("DEL", this.store.calls().keySpace().queues());
		directory.registerAgain(List.of(settings("orders", 4)));
		assertThat(directory.all()).containsExactly(Map.entry("orders", Epochs.first("orders", 4)));
	}

	@Test
	void aQueueIsRegisteredOnceByEachProcess() {
		QueueDirectory directory = directory();
		directory.register(settings("orders", 4));
		this.partition.redis().call("DEL", this.store.calls().keySpace().queues());
		directory.register(settings("orders", 4));
		assertThat(directory.all()).isEmpty();
	}

	private String epochs() {
		return this.store.calls().keySpace().name(this.store.partition(), Key.EPOCHS);
	}

	private QueueDirectory directory() {
		return new QueueDirectory(this.store.calls());
	}

	private static QueueSettings settings(String name, int partitions) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(name, partitions, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
