package io.delayqueue.journey;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class LeastPrivilegeOverLettuceJourneyIntegrationTests extends LeastPrivilegeJourneyIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
