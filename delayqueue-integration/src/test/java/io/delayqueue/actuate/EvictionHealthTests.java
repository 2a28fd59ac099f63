package io.delayqueue.actuate;

import java.time.Duration;

import io.delayqueue.server.ServerInfo.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static io.delayqueue.actuate.TestProcess.server;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Health of a Redis that may evict messages.
 */
class EvictionHealthTests {

	@RegisterExtension
	final TestProcess process = new TestProcess();

	@Test
	void anEvictingPolicyIsReportedWithTheNodeAndTheFix() {
		this.process.servers(server("noeviction", 5), new Server("host:7001", "redis", "7.0.15", "master",
				Duration.ZERO, 104_857_600, "allkeys-lru", true, null));

		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.process.health().getDetails().get("eviction")).isEqualTo(
				"node host:7001 has maxmemory-policy allkeys-lru and maxmemory 104857600, so messages may be evicted"
						+ " when memory is full: set maxmemory-policy to noeviction, or give the queues a Redis of"
						+ " their own");
		Health unchecked = this.process
			.indicator(new HealthSettings(TestProcess.MAX_OVERDUE, TestProcess.TOLERATED, false))
			.health();
		assertThat(unchecked.getStatus()).isEqualTo(Status.UP);
		assertThat(unchecked.getDetails().get("eviction").toString()).contains("allkeys-lru");
	}

	@Test
	void aPolicyThatEvictsNoMessagesIsShownAndHealthIsUp() {
		this.process.servers(server("volatile-lru", 5), server("noeviction", 5), server("volatile-lru", 7));
		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.process.health().getDetails()).containsEntry("eviction", "volatile-lru; noeviction");

		this.process.servers(server("allkeys-lfu", 0));
		assertThat(this.process.health().getStatus()).as("without a limit nothing is evicted").isEqualTo(Status.UP);
		assertThat(this.process.health().getDetails()).containsEntry("eviction",
				"allkeys-lfu, which evicts messages as soon as maxmemory is set; maxmemory is 0 now");
	}

	@Test
	void anUnreadablePolicyIsUnknown() {
		this.process.servers(server("", -1));

		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.process.health().getDetails()).containsEntry("eviction", "unknown");
	}

	@Test
	void thePolicyIsNotReadWhileTheGateIsClosed() {
		this.process.activity("read orders", Duration.ZERO, null);
		assertThat(this.process.health().getDetails()).containsEntry("eviction", "noeviction");
		int before = this.process.evictionChecks();
		this.process.redisIsLost();

		assertThat(this.process.health().getDetails()).as("the last result").containsEntry("eviction", "noeviction");
		assertThat(this.process.evictionChecks()).isEqualTo(before);
	}

}
