package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.delayqueue.store.StoredId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the partition reader reads, how many messages, and how it uses permits.
 */
@Tag("slow")
class PartitionReaderIntegrationTests extends ReadPartition {

	@Test
	void readIsLimitedByPermitsAndContinuesWhenOneIsFree() {
		makeReady(5);
		this.reader.start();
		Awaitility.await().until(() -> this.running.size() == 3);
		assertThat(this.state.permits().taken()).isEqualTo(3);
		assertThat(this.state.held(this.partition)).hasSize(3);

		end("m-0");

		Awaitility.await().until(() -> this.running.containsKey("m-3"));
		assertThat(this.running.keySet()).containsExactly("m-1", "m-2", "m-3");
		assertThat(shared.call("XPENDING", this.partition, "ready", "consumers")).startsWith("[4,");
	}

	@Test
	void partitionIsSweptBeforeItsFirstReadWhileNoPermitIsFree() {
		shared.schedule(this.partition, "m-0", Duration.ZERO);
		assertThat(this.state.permits().take(3)).isEqualTo(3);
		PartitionReader sweeping = reader(shared, this.state, true);
		sweeping.start();

		Awaitility.await().until(() -> "1".equals(shared.call("XLEN", this.partition, "ready")));

		sweeping.close();
		assertThat(reads()).isZero();
	}

	@Test
	void emptyStreamIsReadOncePerSignal() {
		this.reader.start();
		Awaitility.await().until(() -> reads() == 1);
		this.state.permits().giveBack(this.state.permits().take(1));

		this.reader.signal();
		Awaitility.await().until(() -> reads() == 2);

		awaitReadsOfAnother();
		assertThat(reads()).isEqualTo(2);
		Awaitility.await().until(() -> this.state.permits().taken() == 0);
	}

	@Test
	void sweepThatParksMessagesIsRecorded() {
		for (int i = 0; i < 10; i++) {
			shared.schedule(this.partition, new StoredId("m-" + i, "customer-7"), Duration.ZERO);
		}
		PartitionReader sweeping = reader(shared, this.state, true);
		sweeping.start();

		Awaitility.await().until(this.state.partition(this.partition)::mayHaveParked);

		sweeping.close();
	}

	@Test
	void afterASuspectMessagesAreReadOneByOne() {
		makeReady(1);
		shared.call("HSET", this.partition, "failures", "m-0", "0|2|0||");
		this.reader.start();
		Awaitility.await().until(() -> this.running.containsKey("m-0"));
		assertThat(limits()).containsExactly("3");

		end("m-0");

		Awaitility.await().until(() -> limits().size() > 1);
		assertThat(limits()).startsWith("3", "1");
	}

	/** How many messages each read asked for. */
	private List<String> limits() {
		return shared.scripts("read", this.partition)
			.stream()
			.map((arguments) -> arguments.get(arguments.size() - 4))
			.toList();
	}

	private void end(String id) {
		Objects.requireNonNull(this.running.remove(id)).complete(null);
	}

}
