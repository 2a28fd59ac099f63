package io.delayqueue.process;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes with different settings of one queue, as during the rollout of a changed
 * setting.
 */
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
			Awaitility.await()
				.until(() -> second.log().contains("3600000 ms in this process, but Redis stores 1000 ms"));
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
			assertThat(first.log()).doesNotContain("Redis stores 1000 ms");
			assertThat(second.log().split("Redis stores 1000 ms", -1)).as("logged once").hasSize(2);
		}
	}

	@Test
	@DisplayName("row 48: another partition count is rejected while the queue is in use, and no message is handled with it")
	void anotherPartitionCountIsRejected() {
		try (ProcessHarness harness = new ProcessHarness()) {
			WorkerProcess first = harness.launch("first", "worker.work=true").awaitReady();
			harness.schedule("work", "held", "hold");
			harness.await("begin", "held", 1);
			WorkerProcess checked = harness.launch("checked", "worker.work=true",
					"delayqueue.queues.work.partitions=2");
			WorkerProcess unchecked = harness.launch("unchecked", "worker.work=true",
					"delayqueue.queues.work.partitions=2", "delayqueue.startup-checks=off");
			String refused = "Queue 'work' has 1 partitions and holds messages or dead letters,"
					+ " but delayqueue.queues.work.partitions is 2";
			Awaitility.await().until(() -> !checked.isAlive());
			assertThat(checked.log()).contains(refused);
			unchecked.awaitReady();
			Awaitility.await().until(() -> unchecked.log().contains(refused));

			for (int i = 0; i < 20; i++) {
				harness.schedule("work", "m-" + i, "done");
			}
			first.send("go held");
			harness.await("end", "m-19", 1);
			harness.awaitEmpty("work");
			assertThat(harness.lines((line) -> line.event().equals("begin"))).extracting(Line::process)
				.containsOnly("first");
			assertThat(harness.redis().call("HGET", "dq:queues", "work")).isEqualTo("1");
		}
	}

}
