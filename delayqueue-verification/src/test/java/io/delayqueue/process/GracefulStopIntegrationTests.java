package io.delayqueue.process;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.CommandLog.Command;
import io.delayqueue.test.fault.Scripts;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A process that is terminated while it holds many messages. */
@Tag("slow")
class GracefulStopIntegrationTests {

	private static final int RUNNING = 50;

	private static final int READ = 250;

	/** No message is reclaimed, however slow the machine is. */
	private static final String LONG_LEASES = "delayqueue.queues.crowded.visibility-timeout=1h";

	/**
	 * The other process checks the queue rarely: the stopping process has to notify it.
	 */
	@Test
	@DisplayName("row 49: unstarted messages of a stopping process start elsewhere at once, and nothing runs twice")
	void unstartedMessagesOfAStoppingProcessStartElsewhereAtOnce() {
		try (ProcessHarness harness = new ProcessHarness()) {
			WorkerProcess ending = harness.launch("ending", LONG_LEASES, "worker.crowded=true",
					"spring.lifecycle.timeout-per-shutdown-phase=1h");
			WorkerProcess other = harness.launch("other", LONG_LEASES, "delayqueue.sweeper.interval=1m").awaitReady();
			other.send("pause crowded");
			other.send("start crowded");
			harness.await("did", "crowded", 2);
			ending.awaitReady();
			Awaitility.await().until(() -> harness.subscribers() == 2);
			harness.queues()
				.scheduleAll(IntStream.range(0, READ)
					.mapToObj((i) -> ScheduleRequest.to("crowded").payload("m-" + i + " hold").delay(Duration.ZERO))
					.toList());
			Awaitility.await().untilAsserted(() -> {
				assertThat(harness.pending("crowded")).isEqualTo(READ);
				assertThat(begins(harness, "ending")).hasSize(RUNNING);
			});
			Set<String> unstarted = IntStream.range(0, READ).mapToObj((i) -> "m-" + i).collect(Collectors.toSet());
			begins(harness, "ending").forEach((line) -> unstarted.remove(line.id()));
			unstarted.forEach((id) -> other.send("go " + id));
			other.send("resume crowded");
			Awaitility.await().until(() -> !harness.events("did", "crowded").isEmpty());

			List<Command> commands;
			try (CommandLog log = CommandLog.of(harness.redis())) {
				ending.terminate();
				Awaitility.await().until(() -> begins(harness, "other").size() >= unstarted.size());
				commands = log.commands();
			}
			List<Line> taken = begins(harness, "other");
			assertThat(taken).extracting(Line::id).containsExactlyInAnyOrderElementsOf(unstarted);
			assertThat(taken).extracting(Line::attempt).containsOnly(1);
			assertThat(reclaimsBeforeTheSweep(commands))
				.as("checks by the reclaimers, one every 5 s, before the sweep, which is made once a minute without a hint")
				.isLessThan(5);
			begins(harness, "ending").forEach((line) -> ending.send("go " + line.id()));
			ending.awaitEnd();
			harness.awaitEmpty("crowded");
			List<Line> ends = harness.lines((line) -> line.event().equals("end"));
			assertThat(ends).extracting(Line::id).hasSize(READ).doesNotHaveDuplicates();
			assertThat(harness.consumers("crowded")).as("consumers").hasSize(1);
		}
	}

	/**
	 * Counts the checks between the first release of the stopping process and the next
	 * sweep of the other one.
	 */
	private static long reclaimsBeforeTheSweep(List<Command> commands) {
		String release = Scripts.digest("settle");
		String stopping = commands.stream()
			.filter((command) -> calls(command, release))
			.findFirst()
			.orElseThrow()
			.client();
		return commands.stream()
			.dropWhile((command) -> !calls(command, release))
			.takeWhile((command) -> command.client().equals(stopping) || !calls(command, Scripts.digest("sweep")))
			.filter((command) -> calls(command, Scripts.digest("reclaim")))
			.count();
	}

	private static boolean calls(Command command, String digest) {
		return command.name().equals("EVALSHA") && command.arguments().get(0).equals(digest);
	}

	private static List<Line> begins(ProcessHarness harness, String process) {
		return harness.lines((line) -> line.event().equals("begin") && line.process().equals(process));
	}

}
