package io.delayqueue.journey;

import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class LettuceJourneyIntegrationTests extends JourneyTests {

	@Override
	TestApplication application() {
		return new TestApplication(SharedRedis.get().uri()).with("spring.data.redis.client-type=lettuce");
	}

}
