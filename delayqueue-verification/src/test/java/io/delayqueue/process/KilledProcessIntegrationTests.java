package io.delayqueue.process;

import java.util.List;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.ProducerApplication;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Processes that are killed at different points at about the same time. One process
 * survives. The survivor was started before, but reads only after the other processes are
 * dead.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class KilledProcessIntegrationTests {

	/** Extra time beyond the guaranteed bounds, for a busy machine. */
	private static final List<String> QUEUES = List.of("unstarted", "unfinished", "unacknowledged");

	private static ProcessHarness harness;

	private static long pendingWithTheDead;

	/** After this the survivor takes the messages of the killed processes. */
	@BeforeAll
	static void killAllWorkersButOne() {
		harness = new ProcessHarness();
		WorkerProcess producing = harness.launch(ProducerApplication.class, "producing");
		WorkerProcess unstarted = harness.launch("dies-before", "worker.unstarted=true", "worker.halts-when=delivered");
		WorkerProcess unfinished = harness.launch("dies-within", "worker.unfinished=true");
		WorkerProcess unacknowledged = harness.launch("dies-after", "worker.unacknowledged=true",
				"worker.halts-when=handled");
		WorkerProcess survivor = harness.launch("survivor").awaitReady();
		for (String queue : QUEUES) {
			survivor.send("pause " + queue);
			survivor.send("start " + queue);
			harness.await("did", queue, 2);
		}
		unstarted.awaitReady();
		unfinished.awaitReady();
		unacknowledged.awaitReady();
		harness.schedule("unstarted", "before", "done");
		harness.schedule("unacknowledged", "after", "done");
		harness.schedule("unfinished", "within", "hold");
		harness.await("begin", "within", 1);
		pendingWithTheDead = harness.pending("unfinished");
		unfinished.kill();
		Awaitility.await().until(() -> !unstarted.isAlive() && !unacknowledged.isAlive());
		QUEUES.forEach((queue) -> survivor.send("resume " + queue));
		survivor.send("go within");
		Awaitility.await().until(() -> accepted().size() > 300);
		producing.kill();
		survivor.send("start work");
	}

	@AfterAll
	static void stop() {
		harness.close();
	}

	@Test
	@DisplayName("row 5: accepted messages of a killed producer are handled")
	void acceptedMessagesOfAKilledProducerAreHandled() {
		List<String> accepted = accepted();

		Awaitility.await()
			.until(() -> harness.lines((line) -> line.event().equals("end")).stream().map(Line::id).toList(),
					(ended) -> ended.containsAll(accepted));

		harness.awaitEmpty("work");
		List<String> handled = harness.lines((line) -> line.event().equals("end") && line.id().startsWith("p-"))
			.stream()
			.map(Line::id)
			.toList();
		assertThat(handled).doesNotHaveDuplicates();
		assertThat(handled.size() - accepted.size()).as("messages whose answer came too late").isBetween(0, 1);
	}

	@Test
	@DisplayName("row 6: a message whose process was killed before its handler began is delivered again")
	void messageIsRedeliveredWhenItsProcessIsKilledBeforeTheHandler() {
		harness.await("end", "before", 1);

		assertThat(harness.begins("before")).extracting(Line::process, Line::attempt)
			.containsExactly(tuple("survivor", 2));
		harness.awaitEmpty("unstarted");
	}

	@Test
	@DisplayName("row 7: a message whose process was killed in its handler is delivered again, and once")
	void messageIsRedeliveredOnceWhenItsProcessIsKilledInTheHandler() {
		Line second = harness.await("begin", "within", 2).get(1);

		assertThat(pendingWithTheDead).as("pending before the kill").isEqualTo(1);
		assertThat(second.process()).isEqualTo("survivor");
		assertThat(second.attempt()).isEqualTo(2);
		harness.awaitEmpty("unfinished");
		assertThat(harness.begins("within")).hasSize(2);
		assertThat(harness.ends("within")).hasSize(1);
	}

	@Test
	@DisplayName("row 8: a message whose process was killed before the acknowledgement is handled once more")
	void messageIsHandledOnceMoreWhenItsProcessIsKilledBeforeTheAcknowledgement() {
		harness.await("end", "after", 2);
		harness.awaitEmpty("unacknowledged");

		assertThat(harness.ends("after")).extracting(Line::process).containsExactly("dies-after", "survivor");
		assertThat(harness.begins("after")).extracting(Line::attempt).containsExactly(1, 2);
	}

	private static List<String> accepted() {
		return harness.lines((line) -> line.event().equals("accepted")).stream().map(Line::id).toList();
	}

}
