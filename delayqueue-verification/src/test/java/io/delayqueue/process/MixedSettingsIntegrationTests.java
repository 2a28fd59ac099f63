package io.delayqueue.process;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes with different settings of one queue, as during the rollout of a changed
 * setting.
 */
@Tag("slow")
class MixedSettingsIntegrationTests {

	@Test
	@DisplayName("row 48: the stored visibility timeout applies, and a process with another one logs it")
	void storedVisibilityTimeoutAppliesToAllProcesses() {
		try (ProcessHarness harness = new ProcessHarness()) {
			WorkerProcess first = harness.launch("first", "worker.work=true").awaitReady();
			harness.schedule("work", "held", "hold");
			harness.await("begin", "held", 1);
			WorkerProcess second = harness
				.launch("second", "worker.work=true", "delayqueue.queues.work.visibility-timeout=1h",
						"delayqueue.startup-checks=off")
				.awaitReady();
			Awaitility.await().until(() -> second.log().contains("1h in this process, but Redis stores 1s"));
			assertThat(second.log()).contains("HSET dq:{work:0}:control visibility-timeout 3600000");
			first.send("pause work");
			harness.await("did", "work", 1);

			// Several times the timeout after which the first process reclaims messages
			harness.schedule("work", "slow", "take 8000");
			harness.await("end", "slow", 1);
			assertThat(harness.begins("slow")).extracting(Line::process).containsExactly("second");

			first.kill();
			harness.await("begin", "held", 2);
			assertThat(harness.begins("held")).extracting(Line::process).containsExactly("first", "second");
			second.send("go held");
			harness.awaitEmpty("work");
			assertThat(first.log()).doesNotContain("Redis stores");
			assertThat(second.log().split("Redis stores 1s", -1)).as("logged once").hasSize(2);
		}
	}

	@Test
	@DisplayName("row 48: a process with a higher partition count raises it while the other ones handle messages")
	void higherPartitionCountIsTaken() {
		try (ProcessHarness harness = new ProcessHarness()) {
			WorkerProcess first = harness.launch("first", "worker.work=true").awaitReady();
			harness.schedule("work", "held", "hold");
			harness.await("begin", "held", 1);
			harness.launch("second", "worker.work=true", "delayqueue.queues.work.partitions=2").awaitReady();
			Awaitility.await()
				.until(() -> "2;1,1:2".equals(harness.redis().call("HGET", "dq:{members}:epochs", "work")));

			for (int i = 0; i < 20; i++) {
				harness.schedule("work", "m-" + i, "done");
			}
			first.send("go held");
			harness.await("end", "held", 1);
			for (int i = 0; i < 20; i++) {
				harness.await("end", "m-" + i, 1);
			}
			assertThat(harness.lines((line) -> line.event().equals("begin"))).hasSize(21);
			assertThat(harness.redis().call("HGET", "dq:queues", "work")).isEqualTo("1");
		}
	}

}
