package io.delayqueue.journey;

import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class PartitionedJourneyIntegrationTests extends JourneyTests {

	@Override
	TestApplication application() {
		return new TestApplication(SharedRedis.get().uri()).with("delayqueue.defaults.partitions=4");
	}

}
