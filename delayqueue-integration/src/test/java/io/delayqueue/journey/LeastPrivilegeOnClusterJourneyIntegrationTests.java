package io.delayqueue.journey;

import java.util.stream.Stream;

import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.LeastPrivilege;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * The core suite on a cluster as a user with the rights documented in docs/redis.md.
 */
@Tag("slow")
class LeastPrivilegeOnClusterJourneyIntegrationTests extends ClusterJourneyIntegrationTests {

	@AfterAll
	static void nothingElseWasRefused() {
		cluster.nodes().forEach(LeastPrivilege::assertNothingElseWasRefused);
	}

	@Override
	TestApplication application() {
		TestApplication application = super.application().with("spring.data.redis.username=shop")
			.with("spring.data.redis.password=secret")
			.with("spring.data.redis.client-type=" + driver());
		String[] command = Stream.concat(LeastPrivilege.command(application.prefix()), LeastPrivilege.onACluster())
			.toArray(String[]::new);
		cluster.nodes().forEach((node) -> node.call(command));
		return application;
	}

	String driver() {
		return "jedis";
	}

}
