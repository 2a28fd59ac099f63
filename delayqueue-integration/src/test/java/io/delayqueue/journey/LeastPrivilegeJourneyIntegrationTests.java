package io.delayqueue.journey;

import java.net.URI;

import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.LeastPrivilege;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The core suite as a user with the rights documented in docs/redis.md. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class LeastPrivilegeJourneyIntegrationTests extends JourneyTests {

	private static RedisServer redis;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.builder().start();
	}

	@AfterAll
	static void stopRedis() {
		try (RedisServer server = redis) {
			LeastPrivilege.assertNothingElseWasRefused(server);
		}
	}

	@Override
	TestApplication application() {
		TestApplication application = new TestApplication(
				URI.create("redis://shop:secret@" + redis.host() + ":" + redis.port()));
		redis.call(LeastPrivilege.command(application.prefix()).toArray(String[]::new));
		return application.with("spring.data.redis.client-type=" + driver());
	}

	String driver() {
		return "jedis";
	}

}
