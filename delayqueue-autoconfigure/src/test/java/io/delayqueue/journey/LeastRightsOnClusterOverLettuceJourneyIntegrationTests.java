package io.delayqueue.journey;

class LeastRightsOnClusterOverLettuceJourneyIntegrationTests extends LeastRightsOnClusterJourneyIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
