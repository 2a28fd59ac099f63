package io.delayqueue.store;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.test.fault.RedisCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * The meaning of an error reply, with drivers that repeat calls themselves and drivers
 * that do not.
 */
@Tag("slow")
class ClusterOutcomeIntegrationTests {

	@ParameterizedTest
	@CsvSource({ "JEDIS, UNKNOWN", "LETTUCE, NOT_EXECUTED" })
	void anErrorReplyIsOnlyAboutTheLastTry(Driver driver, FailureKind kind) {
		try (RedisCluster cluster = RedisCluster.builder().start();
				Connected connected = Connected.toCluster(driver, cluster)) {
			cluster.nodes().forEach((node) -> node.call("CONFIG", "SET", "maxmemory", "1"));
			TestStore store = new TestStore(connected.template(), new KeySpace("dq"), new Partition("orders", 0));

			StoreException failure = catchThrowableOfType(StoreException.class,
					() -> store.schedule("a", States.FAR, 1));

			assertThat(failure).hasMessageContaining("OOM");
			assertThat(failure.kind()).isEqualTo(kind);
		}
	}

}
