package io.delayqueue.fault;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class DisturbedLinkOverLettuceIntegrationTests extends DisturbedLinkIntegrationTests {

	@Override
	String driver() {
		return "lettuce";
	}

	/**
	 * Not a test here: nobody but Lettuce can close its connection, and it keeps one that
	 * is half open until the operating system gives it up.
	 */
	@Override
	void halfOpenConnectionsAreGivenUp() {
	}

}
