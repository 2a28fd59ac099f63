package io.delayqueue.process;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes handle groups with a concurrency of 1. Handlers take different times and
 * fail at times.
 */
@Tag("slow")
class StrictOrderIntegrationTests {

	private static final int GROUPS = 10;

	private static final int OF_A_GROUP = 30;

	private static final String[] ORDERED = { "worker.ordered=true", "delayqueue.queues.ordered.group.concurrency=1",
			"delayqueue.queues.ordered.concurrency=2", "delayqueue.defaults.back-off.first=20ms" };

	@Test
	void messagesOfAGroupAreHandledOneByOneInOrderOfDueTime() {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		try (ProcessHarness harness = new ProcessHarness()) {
			harness.launch("one", ORDERED).awaitReady();
			harness.launch("other", ORDERED).awaitReady();
			List<ScheduleRequest> requests = requests(random);

			List<ScheduleAnswer> answers = harness.queues().scheduleAll(requests);

			harness.awaitEmpty("ordered");
			for (int group = 0; group < GROUPS; group++) {
				String prefix = "g-" + group + "/";
				List<String> expected = IntStream.range(0, requests.size())
					.boxed()
					.filter((i) -> name(requests.get(i)).startsWith(prefix))
					.sorted(Comparator.comparing((Integer i) -> requests.get(i).dueAt().orElseThrow())
						.thenComparing((i) -> answers.get(i).id()))
					.map((i) -> name(requests.get(i)))
					.toList();
				List<Line> lines = harness.lines((line) -> line.id().startsWith(prefix));
				assertThat(lines.stream().filter((line) -> line.event().equals("end")).map(Line::id)).as("seed " + seed)
					.containsExactlyElementsOf(expected);
				assertOneByOne(lines, "seed " + seed + ": " + lines);
			}
			assertThat(harness.lines((line) -> line.event().equals("end"))).extracting(Line::process)
				.as("both work")
				.contains("one", "other");
		}
	}

	private static String name(ScheduleRequest request) {
		return request.payload().orElseThrow().toString().split(" ")[0];
	}

	/** Schedules messages in random order, several of them due at the same time. */
	private static List<ScheduleRequest> requests(Random random) {
		Instant first = Instant.now().plusSeconds(2);
		List<ScheduleRequest> requests = new ArrayList<>();
		for (int i = 0; i < GROUPS * OF_A_GROUP; i++) {
			String group = "g-" + i % GROUPS;
			requests.add(ScheduleRequest.to("ordered")
				.group(group)
				.payload(group + "/" + i + ((random.nextInt(5) == 0) ? " fail" : " done"))
				.dueAt(first.plusMillis(random.nextInt(OF_A_GROUP))));
		}
		Collections.shuffle(requests, random);
		return requests;
	}

	/**
	 * A message that begins must end, or fail and begin again, before another one begins.
	 */
	private static void assertOneByOne(List<Line> lines, String what) {
		String current = "";
		for (Line line : lines) {
			if (line.event().equals("begin")) {
				assertThat(current).as(what).isIn("", line.id());
				current = line.id();
			}
			else if (line.event().equals("end")) {
				assertThat(line.id()).as(what).isEqualTo(current);
				current = "";
			}
		}
	}

}
