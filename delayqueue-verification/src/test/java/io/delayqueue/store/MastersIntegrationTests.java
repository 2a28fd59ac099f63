package io.delayqueue.store;

import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which server has a partition, over the template of this library.
 */
@SuppressWarnings("NullAway.Init")
class MastersIntegrationTests {

	private static final List<Partition> PARTITIONS = IntStream.range(0, 12)
		.mapToObj((number) -> new Partition("orders", number))
		.toList();

	private DelayQueueRedisTemplate template;

	@AfterEach
	void stop() {
		this.template.destroy();
	}

	@ParameterizedTest
	@EnumSource
	void everyPartitionOfAClusterIsOnTheMasterOfItsSlot(Driver driver) {
		try (RedisCluster cluster = RedisCluster.builder().replicas(1).start();
				Connected connected = Connected.toCluster(driver, cluster)) {
			RedisCalls calls = start(connected);

			Awaitility.await()
				.untilAsserted(() -> assertThat(PARTITIONS.stream().map(calls::server))
					.containsExactlyElementsOf(PARTITIONS.stream()
						.map((partition) -> cluster.masterOf(calls.keySpace().name(partition, Key.MESSAGES))
							.client()
							.text("CLUSTER", "MYID"))
						.toList()));
			assertThat(PARTITIONS.stream().map(calls::server).distinct()).hasSize(3);
		}
	}

	@ParameterizedTest
	@EnumSource
	void allPartitionsAreOnTheOnlyServer(Driver driver) {
		try (Connected connected = Connected.over(driver, SharedRedis.get().uri())) {
			RedisCalls calls = start(connected);

			assertThat(PARTITIONS.stream().map(calls::server)).containsOnly("");
		}
	}

	private RedisCalls start(Connected connected) {
		this.template = new DelayQueueRedisTemplate(connected.template().getRequiredConnectionFactory());
		this.template.afterPropertiesSet();
		this.template.start();
		return new RedisCalls(this.template, new KeySpace("masters"));
	}

}
