package io.delayqueue.journeys;

import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Every feature on the Redis of the other tests, over each driver. */
@ParameterizedClass
@ValueSource(strings = { "jedis", "lettuce" })
@SuppressWarnings("NullAway.Init")
class DriverJourneyTests extends EveryFeature {

	private static StartedShop shop;

	DriverJourneyTests(String driver) {
	}

	@BeforeParameterizedClassInvocation
	static void start(String driver) {
		shop = StartedShop.on(SharedRedis.get().uri()).with("spring.data.redis.client-type", driver).start();
	}

	@AfterParameterizedClassInvocation
	static void stop() {
		shop.close();
	}

	@Override
	StartedShop shop() {
		return shop;
	}

}
