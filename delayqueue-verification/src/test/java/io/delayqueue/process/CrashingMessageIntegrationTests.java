package io.delayqueue.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.MessageKey;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A message that kills every process that handles it, among many ordinary ones. */
@Tag("slow")
class CrashingMessageIntegrationTests {

	private final List<WorkerProcess> workers = new ArrayList<>();

	private int innocents;

	private static String innocent(int number) {
		return "innocent-" + number;
	}

	private int launched;

	@Test
	@DisplayName("row 15: a message that always kills its process is the only dead letter, after three crashes")
	void messageThatAlwaysKillsItsProcessIsTheOnlyDeadLetter() {
		try (ProcessHarness harness = new ProcessHarness()) {
			this.workers.add(launch(harness));
			this.workers.add(launch(harness));
			this.workers.forEach(WorkerProcess::awaitReady);
			scheduleInnocents(harness);
			MessageKey key = MessageKey.of("work", harness.schedule("work", "killer", "halt"));

			Awaitility.await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(100)).until(() -> {
				reviveAndFeed(harness);
				return harness.admin().deadLetter(key).isPresent();
			});

			DeadLetter killer = harness.admin().deadLetter(key).orElseThrow();
			assertThat(harness.begins("killer")).extracting(Line::attempt).containsExactly(1, 2, 3);
			assertThat(killer.reason()).contains("CRASHED");
			assertThat(killer.attempts()).isEqualTo(3);
			Awaitility.await().until(() -> harness.size("HLEN", "work", "messages") == 1);
			assertThat(harness.admin().deadLetters("work", null, 10).deadLetters()).hasSize(1);
			for (int i = 0; i < this.innocents; i++) {
				assertThat(harness.ends(innocent(i))).as(innocent(i)).isNotEmpty();
				assertThat(harness.begins(innocent(i))).as(innocent(i))
					.extracting(Line::attempt)
					.isSubsetOf(1, 2, 3)
					.doesNotHaveDuplicates();
			}
		}
	}

	/** Starts a new process for each dead one, and keeps all of them busy. */
	private void reviveAndFeed(ProcessHarness harness) {
		this.workers.replaceAll((worker) -> worker.isAlive() ? worker : launch(harness));
		scheduleInnocents(harness);
	}

	private void scheduleInnocents(ProcessHarness harness) {
		for (int i = 0; i < 4; i++) {
			harness.schedule("work", innocent(this.innocents++), "take 50");
		}
	}

	private WorkerProcess launch(ProcessHarness harness) {
		return harness.launch("worker-" + this.launched++, "worker.work=true");
	}

}
