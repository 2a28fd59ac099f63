package io.delayqueue.journey;

import java.util.List;

import io.delayqueue.DelayedMessage;
import io.delayqueue.journey.fixture.DedicatedGroups;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Batches of groups with their own workers or limits.
 */
class DedicatedBatchIntegrationTests extends DedicatedGroups {

	@Test
	void batchesOfADedicatedGroupRunOnItsWorkers() {
		start("delayqueue.queues.batches.groups.overrides.[hot:1].concurrency=6");
		this.games.otherGroupsGo.countDown();
		schedule("batches", "h", HOT, 12);
		awaitRunning(HOT, 6);

		schedule("batches", "o", "other", 12);

		this.games.await("o", 12);
		this.games.go.countDown();
		this.games.await("h", 12);
		awaitEmpty("batches");
		assertThat(this.games.batches).allSatisfy((batch) -> {
			assertThat(batch).hasSizeBetween(1, 3);
			assertThat(batch).extracting(DelayedMessage::group).containsOnly(batch.get(0).group());
		});
	}

	@Test
	void batchIsFullWhenItsGroupReachesItsLimit() {
		start("delayqueue.queues.patient.groups.overrides.small.concurrency=2");
		this.games.otherGroupsGo.countDown();

		schedule("patient", "w", "waits", 1);
		awaitPending("patient", 1);
		schedule("patient", "s", "small", 6);

		this.games.await("s", 6);
		assertThat(this.games.batches).extracting(List::size).containsOnly(2);
	}

}
