package io.delayqueue.fault;

class DemotedMasterOverLettuceIntegrationTests extends DemotedMasterIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
