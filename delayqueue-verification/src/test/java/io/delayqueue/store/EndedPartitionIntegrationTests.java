package io.delayqueue.store;

import java.util.Set;

import io.delayqueue.redis.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The end of a partition whose epoch has ended.
 */
class EndedPartitionIntegrationTests {

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	@Test
	void anEndThatStopsAnywhereCanBeRepeated() {
		int writes = 0;
		boolean stops = true;
		while (stops) {
			try (TestPartition partition = TestPartition.shared()) {
				States.finished().prepare(partition);
				partition.command("HSET", Key.CONTROL, "closed", "1:4", "paused", "1");
				partition.command("HSET", Key.HOLDS, "g", "0000000000000001");
				TestStore stopping = scripts.storeOf(partition);
				stops = scripts.stops(() -> new EpochCalls(stopping.calls()).end(partition.store().partition()),
						writes++);

				assertThat(new EpochCalls(partition.store().calls()).end(partition.store().partition())).isTrue();

				PartitionDump dump = partition.dump();
				assertThat(dump.control().keySet()).isEqualTo(Set.of("layout", "partitions", "closed", "ended"));
				assertThat(partition.redis().call("KEYS", partition.key(Key.CONTROL).replace("control", "*")))
					.asString()
					.doesNotContain(",");
			}
		}
		assertThat(writes).isGreaterThan(20);
	}

	@Test
	void aKeyOfAnotherTypeIsNotRemoved() {
		try (TestPartition partition = TestPartition.shared()) {
			partition.command("HSET", Key.CONTROL, "closed", "1:4");
			partition.command("SET", Key.ENDS, "of another program");

			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> new EpochCalls(partition.store().calls()).end(partition.store().partition()));

			assertThat(partition.redis().call("GET", partition.key(Key.ENDS))).isEqualTo("of another program");
			assertThat(partition.dump().control()).doesNotContainKey("ended");
		}
	}

}
