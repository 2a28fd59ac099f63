package io.delayqueue.journeys;

import io.delayqueue.test.fault.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Every feature on three masters, with the partitions of each queue spread over them. */
@SuppressWarnings("NullAway.Init")
class ClusterJourneyTests extends EveryFeature {

	private static RedisCluster cluster;

	private static StartedShop shop;

	@BeforeAll
	static void start() {
		cluster = RedisCluster.builder().replicas(0).start();
		shop = StartedShop.on(cluster)
			.with("spring.data.redis.client-type", "lettuce")
			.with("delayqueue.defaults.partitions", 4)
			.with("delayqueue.queues.growing.partitions", 1)
			.start();
	}

	@AfterAll
	static void stop() {
		shop.close();
		cluster.close();
	}

	@Override
	StartedShop shop() {
		return shop;
	}

}
