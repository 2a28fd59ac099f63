package io.delayqueue.journey;

import java.util.stream.Stream;

import io.delayqueue.journey.fixture.LeastRights;
import io.delayqueue.journey.fixture.TestApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * The core suite on a cluster as the user whose rights docs/guarantees.md tells.
 */
@Tag("slow")
class LeastRightsOnClusterJourneyIntegrationTests extends ClusterJourneyIntegrationTests {

	@AfterAll
	static void nothingElseWasRefused() {
		cluster.nodes().forEach(LeastRights::assertNothingElseWasRefused);
	}

	@Override
	TestApplication application() {
		TestApplication application = super.application().with("spring.data.redis.username=shop")
			.with("spring.data.redis.password=secret")
			.with("spring.data.redis.client-type=" + driver());
		String[] command = Stream.concat(LeastRights.command(application.prefix()), LeastRights.onACluster())
			.toArray(String[]::new);
		cluster.nodes().forEach((node) -> node.call(command));
		return application;
	}

	String driver() {
		return "jedis";
	}

}
