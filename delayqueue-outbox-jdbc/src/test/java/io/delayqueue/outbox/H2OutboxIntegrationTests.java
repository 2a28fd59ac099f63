package io.delayqueue.outbox;

import io.delayqueue.outbox.fixture.TestDatabase;

class H2OutboxIntegrationTests extends OutboxScenarios {

	H2OutboxIntegrationTests() {
		super(TestDatabase.H2);
	}

}
