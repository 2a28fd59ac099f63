package io.delayqueue.journey;

import java.time.Duration;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.DedicatedGroups;
import io.delayqueue.listener.DelayedListenerContainer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Groups with their own workers.
 */
@Tag("slow")
class DedicatedGroupIntegrationTests extends DedicatedGroups {

	@Test
	void dedicatedGroupTakesNoPermitsOfOtherGroupsAndHasAsManyWorkersAsItsConcurrency() {
		start("delayqueue.queues.games.groups.overrides.[hot:1].concurrency=3");
		this.games.otherGroupsGo.countDown();
		schedule("games", "h", HOT, 20);
		awaitRunning(HOT, 3);

		schedule("games", "o", "other", 10);
		schedule("games", "n", null, 10);

		this.games.await("o", 10);
		this.games.await("n", 10);
		DelayedListenerContainer container = container("games");
		Awaitility.await().until(() -> container.inFlight() == 3);
		this.games.go.countDown();
		this.games.await("h", 20);
		awaitEmpty("games");
		assertThat(this.games.most).containsEntry(HOT, 3);
		assertThat(this.games.most.get("other")).isLessThanOrEqualTo(2);
		Awaitility.await().until(() -> container.inFlight() == 0);
		schedule("games", "again", "other", 10);
		this.games.await("again", 10);
	}

	@Test
	void dedicatedGroupWithoutAConcurrencyHasAsManyWorkersAsItsContainer() {
		start();
		schedule("games", "h", HOT, 20);

		// The fair share of the group is twice the concurrency
		awaitPending("games", 4);
		awaitRunning(HOT, 2);
		this.games.go.countDown();
		this.games.otherGroupsGo.countDown();

		this.games.await("h", 20);
		assertThat(this.games.most).containsEntry(HOT, 2);
	}

	@Test
	void suspectWaitsUntilNoWorkerOfAnyGroupRuns() {
		start("delayqueue.queues.games.groups.overrides.[hot:1].concurrency=5");
		this.games.otherGroupsGo.countDown();
		schedule("games", "h", HOT, 5);
		awaitRunning(HOT, 5);

		schedule("games", Duration.ofSeconds(1), "s", "other", 1);
		schedule("games", Duration.ofSeconds(1), "t", HOT, 1);
		for (int partition = 0; partition < 3; partition++) {
			this.redis.call("HSET", key("games", partition, "failures"), "s-0\u0001other", "0|2|0||", "t-0\u0001" + HOT,
					"0|2|0||");
		}
		awaitPending("games", 6);
		this.games.go.countDown();

		this.games.await("s", 1);
		this.games.await("t", 1);
		assertThat(this.games.suspects).containsExactlyInAnyOrder("s-0", "t-0");
		assertThat(this.games.besideSuspects).isEmpty();
		awaitEmpty("games");
	}

	@Test
	void unstartedMessagesAreReleasedWhenTheQueueIsPaused() {
		start();
		schedule("games", "h", HOT, 4);
		awaitPending("games", 4);
		awaitRunning(HOT, 2);
		DelayQueueAdmin admin = this.context.getBean(DelayQueueAdmin.class);

		admin.pause("games");
		awaitPending("games", 2);
		this.games.go.countDown();

		awaitPending("games", 0);
		assertThat(this.games.handled).hasSize(2);
		admin.resume("games");
		this.games.otherGroupsGo.countDown();
		this.games.await("h", 4);
		assertThat(this.games.handled.values()).as("the first attempt of each").containsOnly(1);
	}

	@Test
	void stopWaitsForRunningHandlersAndReleasesTheRest() throws Exception {
		start();
		schedule("games", "h", HOT, 4);
		awaitPending("games", 4);
		awaitRunning(HOT, 2);

		Thread stop = new Thread(() -> container("games").stop());
		stop.start();
		awaitPending("games", 2);
		this.games.go.countDown();
		stop.join(Duration.ofMinutes(2).toMillis());

		assertThat(stop.isAlive()).isFalse();
		assertThat(pending("games")).as("settled before it ended").isZero();
		assertThat(this.games.handled).hasSize(2);
		container("games").start();
		this.games.await("h", 4);
		assertThat(this.games.handled.values()).as("the first attempt of each").containsOnly(1);
	}

}
