package io.delayqueue.fault;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class LostCallOverLettuceIntegrationTests extends LostCallIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

	@Override
	boolean sendsAgain() {
		return true;
	}

}
