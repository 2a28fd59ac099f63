package io.delayqueue.store;

import java.util.List;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A full Redis accepts no new messages, but delivers the stored ones.
 */
class FullMemoryIntegrationTests {

	private static RedisServer redis;

	private static Connected connected;

	@BeforeAll
	static void start() {
		redis = RedisServer.builder().setting("maxmemory-policy", "noeviction").start();
		connected = Connected.over(Driver.JEDIS, redis.uri());
	}

	@AfterAll
	static void stop() {
		connected.close();
		redis.close();
	}

	@ParameterizedTest
	@MethodSource("io.delayqueue.store.Scenarios#withReads")
	void onlyScheduleIsRefused(Scenario scenario) {
		try (TestPartition partition = TestPartition.on(redis, connected)) {
			List<Entry> held = scenario.given().prepare(partition);
			PartitionDump before = partition.dump();
			redis.call("CONFIG", "SET", "maxmemory", "1");
			StoreException refused = catchThrowableOfType(StoreException.class,
					() -> scenario.when().call(partition.store(), held));
			if (scenario.script() == StoreScript.SCHEDULE || scenario.script() == StoreScript.SCHEDULE_NEW) {
				assertThat(refused).isNotNull();
				assertThat(refused.kind()).isEqualTo(FailureKind.NOT_EXECUTED);
				assertThat(refused).hasMessageContaining("OOM");
				assertThat(partition.dump()).isEqualTo(before);
			}
			else {
				assertThat(refused).isNull();
			}
		}
		finally {
			redis.call("CONFIG", "SET", "maxmemory", "0");
		}
	}

}
