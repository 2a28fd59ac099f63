package io.delayqueue.store;

import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * The keys of a partition have the layout of another version of the library: a call
 * writes nothing, reports the stored version, and succeeds once the layout is its own.
 */
class ForeignLayoutIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@ParameterizedTest
	@MethodSource("io.delayqueue.store.Scenarios#withReads")
	void nothingIsWritten(Scenario scenario) {
		List<Entry> held = scenario.given().prepare(this.partition);
		layout("3");
		PartitionDump before = this.partition.dump();

		StoreException refused = catchThrowableOfType(StoreException.class,
				() -> scenario.when().call(this.store, held));

		assertThat(this.partition.dump()).isEqualTo(before);
		assertRefused(refused);
	}

	@ParameterizedTest
	@EnumSource(names = { "AUDIT", "FIND_MISPLACED", "REMOVE_CONSUMERS", "RENEW_ALL_LEASES" })
	void nothingIsReturnedThatDecidesOtherWrites(StoreScript script) {
		States.pending("a").prepare(this.partition);
		layout("3");
		PartitionDump before = this.partition.dump();

		assertRefused(catchThrowableOfType(StoreException.class, () -> run(script)));

		assertThat(this.partition.dump()).isEqualTo(before);
		layout(TestStore.LAYOUT);
		run(script);
	}

	private void run(StoreScript script) {
		switch (script) {
			case AUDIT -> this.store.audit();
			case FIND_MISPLACED -> this.store.repair();
			case REMOVE_CONSUMERS -> this.store.leases().removeConsumers(this.store.partition(), "holder");
			case RENEW_ALL_LEASES -> this.store.leases().renewAll(this.store.partition());
			default -> throw new IllegalArgumentException(script.fileName());
		}
	}

	@Test
	void anOlderLayoutIsRefusedToo() {
		layout("0");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.schedule("a", States.DUE, 1))
			.withMessageContaining("LAYOUT 0 is stored, 1 and 2 are known");
	}

	@Test
	void aPendingMessageIsNeitherAcknowledgedNorLostAndCanBeSettledLater() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		layout("3");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.acknowledge(held));
		assertThat(this.partition.dump().messages()).containsOnlyKeys("a");
		assertThat(this.partition.dump().stream().pending()).containsOnlyKeys(held.entry());

		layout(TestStore.LAYOUT);
		this.store.acknowledge(held);

		assertThat(this.partition.dump().messages()).isEmpty();
		assertThat(this.partition.dump().stream().pending()).isEmpty();
	}

	@Test
	void aForeignLayoutIsRecordedUntilACallSucceeds() {
		RedisCalls calls = this.store.calls();
		Partition other = new Partition("orders", 1);
		layout("3");
		assertThat(calls.isLayoutForeign(this.store.partition())).isFalse();

		assertThatExceptionOfType(StoreException.class).isThrownBy(this.store::sweep);

		assertThat(calls.isLayoutForeign(this.store.partition())).isTrue();
		assertThat(calls.isLayoutForeign(other)).isFalse();
		assertThat(calls.foreignLayouts()).containsOnlyKeys(this.store.partition())
			.containsValue("LAYOUT 3 is stored, 1 and 2 are known");
		layout(TestStore.LAYOUT);
		this.store.snapshots().of(this.store.partition());
		assertThat(calls.isLayoutForeign(this.store.partition())).as("after a script that does not check the layout")
			.isTrue();
		this.store.sweep();
		assertThat(calls.isLayoutForeign(this.store.partition())).isFalse();
		assertThat(calls.foreignLayouts()).isEmpty();
	}

	private void assertRefused(StoreException refused) {
		assertThat(refused).isNotNull();
		assertThat(refused.kind()).isEqualTo(FailureKind.REFUSED);
		assertThat(refused.isLayoutForeign()).isTrue();
		assertThat(refused.isRedisLost()).isFalse();
		assertThat(refused).hasMessageContaining("orders:0")
			.hasMessageContaining("LAYOUT 3 is stored, 1 and 2 are known")
			.hasMessageContaining("another version of this library");
	}

	private void layout(String version) {
		this.partition.command("HSET", Key.CONTROL, "layout", version);
	}

}
