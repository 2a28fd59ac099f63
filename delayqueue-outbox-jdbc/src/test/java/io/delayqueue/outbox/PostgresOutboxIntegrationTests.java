package io.delayqueue.outbox;

import io.delayqueue.outbox.fixture.TestDatabase;

class PostgresOutboxIntegrationTests extends OutboxScenarios {

	PostgresOutboxIntegrationTests() {
		super(TestDatabase.POSTGRESQL);
	}

}
