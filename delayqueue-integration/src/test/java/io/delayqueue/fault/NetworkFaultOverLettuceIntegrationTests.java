package io.delayqueue.fault;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class NetworkFaultOverLettuceIntegrationTests extends NetworkFaultIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

	/**
	 * Not applicable: only Lettuce can close its connection, and it keeps a half-open one
	 * until the operating system closes it.
	 */
	@Override
	void halfOpenConnectionsAreClosed() {
	}

}
