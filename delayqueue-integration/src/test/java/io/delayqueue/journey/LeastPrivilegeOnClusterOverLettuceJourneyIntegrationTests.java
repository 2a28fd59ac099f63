package io.delayqueue.journey;

class LeastPrivilegeOnClusterOverLettuceJourneyIntegrationTests extends LeastPrivilegeOnClusterJourneyIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
