package io.delayqueue.journey;

import java.net.URI;

import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The core suite on three masters, with the partitions of each queue spread over them.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class ClusterJourneyIntegrationTests extends JourneyTests {

	static RedisCluster cluster;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.builder().replicas(0).start();
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

	@Override
	TestApplication application() {
		return new TestApplication(URI.create("redis://unused")).without("spring.data.redis.url")
			.with("spring.data.redis.cluster.nodes=" + String.join(",", cluster.addresses()))
			.with("delayqueue.defaults.partitions=4");
	}

}
