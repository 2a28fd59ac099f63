package io.delayqueue.fault;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class DemotedMasterOverLettuceIntegrationTests extends DemotedMasterIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
