package io.delayqueue.journey;

import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * An application whose way to Redis a test can interrupt.
 */
@SuppressWarnings("NullAway.Init")
abstract class CustomizedApplication {

	RedisServer redis;

	FaultProxy way;

	TestApplication applications;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.way = FaultProxy.to(this.redis);
		this.applications = new TestApplication(this.way.uri()).with("delayqueue.defaults.back-off.first=100ms")
			.with("spring.data.redis.timeout=1s");
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.way.close();
		this.redis.close();
	}

}
