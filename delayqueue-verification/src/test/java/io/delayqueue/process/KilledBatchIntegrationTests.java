package io.delayqueue.process;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

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
	void messagesOfAKilledBatchAreRedeliveredOneByOneAndAlone() {
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
					.extracting(Line::process, Line::attempt, Line::more)
					.containsExactly(tuple("killed", 1, "8"), tuple("survivor", 2, "1"));
				assertThat(harness.ends(id)).as(id).extracting(Line::process).containsExactly("survivor");
			}
			for (String id : COLLECTED) {
				Line last = harness.events("batch", id).get(harness.events("batch", id).size() - 1);
				assertThat(last).extracting(Line::process, Line::attempt, Line::more)
					.containsExactly("survivor", 2, "1");
			}
			assertAlone(harness.lines((line) -> line.process().equals("survivor")
					&& (line.event().equals("begin") || line.event().equals("end"))));
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

	/** Each begin is followed by its own end. */
	private static void assertAlone(List<Line> lines) {
		assertThat(lines).hasSize(2 * (int) Stream.of(HANDLED, COLLECTED).mapToLong(List::size).sum());
		for (int i = 0; i < lines.size(); i += 2) {
			assertThat(lines.get(i).event()).isEqualTo("begin");
			assertThat(lines.get(i + 1).event()).isEqualTo("end");
			assertThat(lines.get(i + 1).id()).isEqualTo(lines.get(i).id());
		}
	}

}
