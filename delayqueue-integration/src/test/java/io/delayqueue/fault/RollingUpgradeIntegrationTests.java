package io.delayqueue.fault;

import io.delayqueue.CancelResult;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.UpgradedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.system.CapturedOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Records of an older and of a future version.
 */
@Tag("slow")
class RollingUpgradeIntegrationTests extends UpgradedQueue {

	/** A record as version 1 has always been written; its due time is in 2001. */
	private static final String VERSION_1 = "10001000000000000cxKq3-Z_0aB{\"headers\":{\"a\":\"1\"}}\n{\"from\":\"before\"}";

	private static final String VERSION_2 = "20001000000000000cxKq3-Z_0aB and fields of a future version";

	@Test
	@DisplayName("row 48: records of an older version are read")
	void recordsOfAnOlderVersionAreRead() {
		this.partition.store("old", VERSION_1);

		awaitHandled("old {from=before} 1");
	}

	@Test
	@DisplayName("row 48: records of a newer version wait for a process that can read them, and are not changed")
	void recordsOfANewerVersionWaitForAProcessThatCanReadThem(CapturedOutput output) {
		schedule("trees", "first");
		awaitHandled("first {} 1");
		long delivered = this.partition.delivered();

		long before = this.partition.now();
		this.partition.store("new", VERSION_2);
		this.partition.store("newer", VERSION_2);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.partition.delivered() == delivered + 2 && this.partition.entries() == 0);
		schedule("trees", "last");
		awaitHandled("last {} 1");

		assertThat(this.partition.scheduled("new")).as("waits").isBetween(before + 1000, this.partition.now() + 15_000);
		assertThat(this.partition.call("HGET", "messages", "new")).isEqualTo(VERSION_2);
		assertThat(this.partition.call("HLEN", "failures")).as("counted crashes").isEqualTo(0L);
		assertThat(this.partition.call("ZCARD", "dead")).isEqualTo(0L);
		assertThat(this.partition.delivered()).as("deliveries").isEqualTo(delivered + 3);
		assertThat(output.getAll().split("were written by a newer version of this library", -1)).as("logged once")
			.hasSize(2);
		assertThat(output).contains("Messages of queue 'trees'", "record has version '2'");
		assertThat(this.queue.cancel("trees", "newer")).isEqualTo(CancelResult.CANCELLED);

		// The process that can read it receives a first attempt
		this.partition.store("new", VERSION_1);
		awaitHandled("new {from=before} 1");
		awaitEmpty();
	}

	@Test
	void recordsOfANewerVersionAreDeliveredAgainWhenTheyExpire() {
		long expiry = this.partition.now() + 12_000;
		this.partition.call("ZADD", "expiries", String.valueOf(expiry), "new");
		this.partition.store("new", VERSION_2);

		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.partition.call("ZSCORE", "scheduled", "new"), String.valueOf(expiry)::equals);
	}

}
