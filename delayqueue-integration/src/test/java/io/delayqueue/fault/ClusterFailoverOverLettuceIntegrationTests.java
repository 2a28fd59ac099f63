package io.delayqueue.fault;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class ClusterFailoverOverLettuceIntegrationTests extends ClusterFailoverIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

}
