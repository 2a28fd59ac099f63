package io.delayqueue.fault;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class SickMasterOverLettuceIntegrationTests extends SickMasterIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
