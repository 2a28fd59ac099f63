package io.delayqueue.fault;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class DisturbedLinkOverLettuceIntegrationTests extends DisturbedLinkIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

	/**
	 * Nobody here can close a connection of Lettuce, which keeps one that is half open
	 * until the operating system gives it up.
	 */
	@Override
	boolean givesUpHalfOpenConnections() {
		return false;
	}

}
