package io.delayqueue.process;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.RepartitionPendingException;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The partition count of a queue changes while processes consume it and are killed.
 */
@Tag("slow")
class GrowingQueueIntegrationTests {

	private static final int GROUPS = 8;

	private static final int OF_A_GROUP = 10;

	private static final int CHOSEN = 60;

	private static final String[] ORDERED = { "worker.ordered=true", "delayqueue.queues.ordered.group.concurrency=1",
			"delayqueue.queues.ordered.concurrency=4", "delayqueue.queues.ordered.done-window=10m" };

	@Test
	@DisplayName("row 69: while the partition count changes and processes are killed nothing is lost and groups keep their order")
	void nothingIsLostAndGroupsKeepTheirOrder() {
		try (ProcessHarness harness = new ProcessHarness()) {
			List<WorkerProcess> workers = new ArrayList<>();
			workers.add(harness.launch("worker-0", ORDERED));
			workers.add(harness.launch("worker-1", ORDERED));
			workers.forEach(WorkerProcess::awaitReady);
			List<Integer> counts = List.of(1, 8, 3);
			Instant begin = Instant.now().plusMillis(500);
			for (int part = 0; part < counts.size(); part++) {
				repartition(harness, counts.get(part));
				// Behind all messages of the parts before, however long these took
				Instant first = begin.plusSeconds(part);
				schedule(harness, part, first, Outcome.CREATED);
				workers.get(part).kill();
				workers.add(harness.launch("worker-" + (part + 2), ORDERED));
				// The id is known in every epoch, whether its message waits or has
				// finished
				schedule(harness, part, first, null);
			}
			workers.get(workers.size() - 1).awaitReady();

			int all = counts.size() * (GROUPS * OF_A_GROUP + CHOSEN);
			Awaitility.await().until(() -> ends(harness, "").size() == all);

			for (int group = 0; group < GROUPS; group++) {
				String prefix = "g-" + group + "/";
				assertThat(ends(harness, prefix)).containsExactlyElementsOf(
						IntStream.range(0, counts.size() * OF_A_GROUP).mapToObj((n) -> prefix + n).toList());
			}
			assertThat(ends(harness, "chosen/")).hasSize(counts.size() * CHOSEN);
			assertThat(harness.lines((line) -> line.event().equals("end")).size() - all).as("repeated after kills")
				.isLessThan(4 * 4 * counts.size());
		}
	}

	/** Waits for the end of the last change. */
	private static void repartition(ProcessHarness harness, int partitions) {
		Awaitility.await()
			.ignoreException(RepartitionPendingException.class)
			.until(() -> harness.admin().repartition("ordered", partitions).partitions() == partitions);
	}

	/** Schedules messages, or checks that all of them are known. */
	private static void schedule(ProcessHarness harness, int part, Instant first, Outcome expected) {
		List<ScheduleRequest> requests = new ArrayList<>();
		IntStream.range(0, GROUPS * OF_A_GROUP).forEach((i) -> {
			String group = "g-" + i % GROUPS;
			int number = part * OF_A_GROUP + i / GROUPS;
			requests.add(request(group + "/" + number).group(group).dueAt(first.plusMillis(30L * (i / GROUPS))));
		});
		IntStream.range(0, CHOSEN)
			.forEach((i) -> requests.add(request("chosen/" + (part * CHOSEN + i)).dueAt(first.plusMillis(20L * i))));
		List<ScheduleAnswer> answers = harness.queues().scheduleAll(requests);
		assertThat(answers).extracting((answer) -> answer.result().outcome())
			.allMatch((outcome) -> (expected != null) ? outcome == expected
					: outcome == Outcome.DUPLICATE || outcome == Outcome.DONE);
	}

	private static ScheduleRequest request(String name) {
		return ScheduleRequest.to("ordered").id(name).payload(name + " done").onDuplicate(DuplicatePolicy.keep());
	}

	/** The names of the messages that have ended, in the order of their first end. */
	private static Set<String> ends(ProcessHarness harness, String prefix) {
		return harness.lines((line) -> line.event().equals("end") && line.id().startsWith(prefix))
			.stream()
			.map(Line::id)
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

}
