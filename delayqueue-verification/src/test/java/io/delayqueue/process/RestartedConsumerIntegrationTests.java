package io.delayqueue.process;

import java.util.List;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A consumer that is stopped and started repeatedly. */
@Tag("slow")
class RestartedConsumerIntegrationTests {

	private static final int RESTARTS = 100;

	@Test
	@DisplayName("row 46: many restarts leave few consumers in the group, and no consumer loses its messages")
	void manyRestartsLeaveFewConsumersAndLoseNoMessage() {
		try (ProcessHarness harness = new ProcessHarness()) {
			// The longest time that a stop waits for handlers
			WorkerProcess worker = harness
				.launch("restarting", "worker.work=true", "spring.lifecycle.timeout-per-shutdown-phase=1s")
				.awaitReady();
			harness.schedule("work", "held", "hold");
			harness.await("begin", "held", 1);
			worker.send("stop work");
			harness.await("did", "work", 1);
			List<String> holder = harness.consumers("work");
			assertThat(holder).hasSize(1);
			assertThat(harness.pending("work")).isEqualTo(1);

			for (int i = 0; i < RESTARTS; i++) {
				worker.send("start work");
				harness.schedule("work", "r-" + i, "done");
				worker.send("stop work");
			}
			harness.await("did", "work", 1 + 2 * RESTARTS);
			assertThat(harness.consumers("work")).as("after the stops").isEqualTo(holder);
			worker.send("start work");

			assertThat(harness.await("begin", "held", 2)).extracting(Line::attempt).containsExactly(1, 2);
			worker.send("go held");
			harness.awaitEmpty("work");
			assertThat(harness.consumers("work")).as("the current consumer and the one with a pending message")
				.hasSizeLessThanOrEqualTo(2);
			assertThat(harness.lines((line) -> line.event().equals("end") && line.id().startsWith("r-")))
				.extracting(Line::id)
				.hasSize(RESTARTS)
				.doesNotHaveDuplicates();
		}
	}

}
