package io.delayqueue.journey;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class LeastRightsOverLettuceJourneyIntegrationTests extends LeastRightsJourneyIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
