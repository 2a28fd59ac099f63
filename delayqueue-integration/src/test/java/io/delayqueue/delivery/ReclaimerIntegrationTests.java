package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.PendingMessages;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the reclaimer reclaims messages of a silent consumer.
 */
@Tag("slow")
class ReclaimerIntegrationTests extends ReclaimedPartition {

	private static final Duration VISIBILITY_TIMEOUT = Duration.ofSeconds(1);

	@Test
	void messageOfSilentConsumerIsReclaimedAfterSeveralChecks() {
		take(shared, this.partition);
		start(shared, this.partition, this.reclaimer, this.leaseRenewer);

		Awaitility.await().until(() -> this.due.get() == 1);

		assertThat(this.reclaimed).containsExactly(this.partition.queue());
		assertThat(this.dead).isEmpty();
		assertThat(shared.call("ZRANGE", this.partition, "scheduled", "0", "-1")).isEqualTo("[m]");
		assertThat(shared.call("HGET", this.partition, "failures", "m")).as("one crash").startsWith("0|1|");
		assertThat(limits()).as("only checks, for 2 s").startsWith("0", "0", "0").endsWith("25");
	}

	@Test
	void messageWithTooManyCrashesIsDeadLettered() {
		this.reclaimer = reclaimer(shared, this.partition, 1, this.gate);
		take(shared, this.partition);
		String entry = shared.call("HGET", this.partition, "entries", "m");
		new PendingMessages(shared.calls()).isolate(this.partition, "silent", entry, true);
		start(shared, this.partition, this.reclaimer, this.leaseRenewer);

		Awaitility.await().until(() -> !this.dead.isEmpty());

		assertThat(this.dead).containsExactly("m");
		assertThat(shared.call("ZRANGE", this.partition, "dead", "0", "-1")).isEqualTo("[m]");
	}

	@Test
	void nothingIsReclaimedWhileOwnProcessDoesNotRenewLeases() {
		take(shared, this.partition);
		start(shared, this.partition, this.reclaimer);
		Partition other = shared.partition();
		take(shared, other);
		Reclaimer another = reclaimer(shared, other, 3, this.gate);
		LeaseRenewer renewing = leaseRenewer(shared, other, this.gate);
		start(shared, other, another, renewing);

		Awaitility.await().until(() -> this.reclaimed.contains(other.queue()));

		assertThat(this.reclaimed).doesNotContain(this.partition.queue());
		assertThat(limits()).hasSizeGreaterThan(4).containsOnly("0");
		another.stop();
		renewing.stop();
	}

	@Test
	void nothingIsReclaimedWhileLayoutIsForeign() {
		take(shared, this.partition);
		start(shared, this.partition, this.reclaimer, this.leaseRenewer);
		shared.layout(this.partition, 3);
		int before = limits().size();
		for (int i = 1; i <= 5; i++) {
			int checks = before + i;
			this.reclaimer.checkNow();
			Awaitility.await().until(() -> limits().size() >= checks);
		}
		assertThat(this.tasks.statuses()).extracting(TaskStatus::failures)
			.as("not counted as a failure")
			.containsOnly(0);
		assertThat(this.reclaimed).isEmpty();

		shared.layout(this.partition, 1);
		shared.sweep(this.partition);
		this.reclaimer.checkNow();

		Awaitility.await().until(() -> !this.reclaimed.isEmpty());
	}

}
