package io.delayqueue.journey;

import java.net.URI;
import java.util.stream.Stream;

import io.delayqueue.test.redis.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The core suite on a cluster as the user whose rights docs/guarantees.md tells.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class LeastRightsOnClusterJourneyIntegrationTests extends JourneyTests {

	private static RedisCluster cluster;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.builder().replicas(0).start();
	}

	@AfterAll
	static void stopCluster() {
		try (RedisCluster all = cluster) {
			all.nodes().forEach(LeastRights::assertNothingElseWasRefused);
		}
	}

	@Override
	TestApplication application() {
		TestApplication application = new TestApplication(URI.create("redis://unused")).without("spring.data.redis.url")
			.with("spring.data.redis.cluster.nodes=" + String.join(",", cluster.addresses()))
			.with("spring.data.redis.username=shop")
			.with("spring.data.redis.password=secret")
			.with("spring.data.redis.client-type=" + driver())
			.with("delayqueue.defaults.partitions=4");
		String[] command = Stream.concat(LeastRights.command(application.prefix()), LeastRights.onACluster())
			.toArray(String[]::new);
		cluster.nodes().forEach((node) -> node.call(command));
		return application;
	}

	String driver() {
		return "jedis";
	}

}
