package io.delayqueue.process;

import java.time.Instant;
import java.util.List;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * A process that is killed while it handles a batch and holds messages of batches that
 * are not full yet.
 */
@Tag("slow")
class KilledBatchIntegrationTests {

	private static final List<String> HANDLED = List.of("m-0", "m-1", "m-2", "m-3", "m-4", "m-5", "m-6", "m-7");

	private static final List<String> COLLECTED = List.of("n-0", "n-1", "n-2");

	@Test
	void messagesOfAKilledBatchAreRedeliveredInBatches() {
		try (ProcessHarness harness = new ProcessHarness()) {
			WorkerProcess killed = harness.launch("killed", "worker.batched=true");
			WorkerProcess survivor = harness.launch("survivor");
			killed.awaitReady();
			survivor.awaitReady();
			schedule(harness, HANDLED, "hold");
			harness.await("batch", "m-7", 1);
			schedule(harness, COLLECTED, "take 20");
			Awaitility.await().until(() -> harness.pending("batched") == HANDLED.size() + COLLECTED.size());

			killed.kill();
			HANDLED.forEach((id) -> survivor.send("go " + id));
			survivor.send("start batched");

			harness.awaitEmpty("batched");
			for (String id : HANDLED) {
				assertThat(harness.events("batch", id)).as(id)
					.extracting(Line::process, Line::attempt)
					.containsExactly(tuple("killed", 1), tuple("survivor", 2));
				assertThat(harness.ends(id)).as(id).extracting(Line::process).containsExactly("survivor");
			}
			for (String id : COLLECTED) {
				Line last = harness.events("batch", id).get(harness.events("batch", id).size() - 1);
				assertThat(last).extracting(Line::process, Line::attempt).containsExactly("survivor", 2);
			}
			assertThat(harness.lines((line) -> line.process().equals("survivor") && line.event().equals("batch")))
				.as("a first crash isolates no message")
				.anyMatch((line) -> !line.more().equals("1"));
		}
	}

	/**
	 * The messages are due at one future instant, so that one sweep moves all of them.
	 */
	private static void schedule(ProcessHarness harness, List<String> names, String work) {
		Instant due = Instant.now().plusMillis(500);
		harness.queues()
			.scheduleAll(names.stream()
				.map((name) -> ScheduleRequest.to("batched").payload(name + " " + work).dueAt(due))
				.toList());
	}

}
