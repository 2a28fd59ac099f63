package io.delayqueue.outbox;

import io.delayqueue.outbox.fixture.TestDatabase;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class H2OutboxIntegrationTests extends OutboxScenarios {

	H2OutboxIntegrationTests() {
		super(TestDatabase.H2);
	}

}
