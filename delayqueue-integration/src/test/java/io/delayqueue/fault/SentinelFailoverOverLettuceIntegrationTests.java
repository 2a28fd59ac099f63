package io.delayqueue.fault;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class SentinelFailoverOverLettuceIntegrationTests extends SentinelFailoverIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
