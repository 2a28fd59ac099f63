package io.delayqueue.process;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.delayqueue.RecurringSchedule;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.RecurringWorker;
import io.delayqueue.process.fixture.Servers;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many schedules with an occurrence each minute, while one of four processes is killed
 * every five seconds, Redis is killed twice, and the instants of a partition are lost.
 * {@code -Drecurring.minutes=5 -Drecurring.schedules=10000 -Drecurring.seed=7} set
 * length, number and seed. The result is printed.
 */
@Tag("slow")
class RecurringUnderKillsIntegrationTests {

	private static final int PROCESSES = 4;

	private static final Duration KILLS = Duration.ofSeconds(5);

	private static final Duration EVERY = Duration.ofMinutes(1);

	private final int minutes = Integer.getInteger("recurring.minutes", 2);

	private final int schedules = Integer.getInteger("recurring.schedules", 2000);

	private final Random random = new Random(Integer.getInteger("recurring.seed", 1));

	private final List<WorkerProcess> processes = new ArrayList<>();

	private int started;

	@Test
	@DisplayName("row 75: while processes and Redis are killed each instant of a schedule has one message, which is handled")
	void eachInstantHasOneMessageThatIsHandled() {
		try (ProcessHarness harness = new ProcessHarness(Servers.durable(Servers.Kind.STANDALONE),
				"delayqueue.defaults.partitions=4")) {
			IntStream.range(0, PROCESSES).forEach((n) -> this.processes.add(launch(harness)));
			this.processes.forEach(WorkerProcess::awaitReady);
			Instant first = Instant.ofEpochMilli(System.currentTimeMillis()).plusSeconds(10 + this.schedules / 200);
			Set<String> expected = create(harness, first);
			Instant end = first.plus(EVERY.multipliedBy(this.minutes));
			disturb(harness, first, end);
			Awaitility.await()
				.atMost(Duration.ofMinutes(2))
				.pollInterval(Duration.ofSeconds(1))
				.untilAsserted(() -> assertThat(missing(harness, expected)).isEmpty());
			check(harness, expected);
		}
	}

	/** Returns the ids of all occurrences. */
	private Set<String> create(ProcessHarness harness, Instant first) {
		Set<String> expected = new HashSet<>();
		for (int n = 0; n < this.schedules; n++) {
			Instant from = first.plusMillis(n * EVERY.toMillis() / this.schedules);
			for (int minute = 0; minute < this.minutes; minute++) {
				expected.add("s-" + n + "@" + from.plus(EVERY.multipliedBy(minute)));
			}
		}
		IntStream.range(0, this.schedules)
			.parallel()
			.forEach((n) -> harness.recurring()
				.createOrReplace(RecurringSchedule.to(RecurringWorker.QUEUE, "s-" + n)
					.payload("p")
					.every(EVERY)
					.from(first.plusMillis(n * EVERY.toMillis() / this.schedules))
					.until(first.plus(EVERY.multipliedBy(this.minutes)).minusMillis(1))));
		assertThat(System.currentTimeMillis()).as("the time at which all are stored").isLessThan(first.toEpochMilli());
		return expected;
	}

	private void disturb(ProcessHarness harness, Instant first, Instant end) {
		List<Instant> restarts = new ArrayList<>(List.of(first.plusMillis(Duration.between(first, end).toMillis() / 3),
				first.plusMillis(Duration.between(first, end).toMillis() * 2 / 3)));
		Instant loss = first.plusMillis(Duration.between(first, end).toMillis() / 2);
		boolean isLost = false;
		for (Instant next = first; next.isBefore(end); next = next.plus(KILLS)) {
			LockSupport.parkNanos(
					TimeUnit.MILLISECONDS.toNanos(Math.max(0, next.toEpochMilli() - System.currentTimeMillis())));
			kill(harness);
			if (!restarts.isEmpty() && next.isAfter(restarts.get(0))) {
				restarts.remove(0);
				harness.redis().kill();
				harness.redis().restart();
			}
			if (!isLost && next.isAfter(loss)) {
				isLost = true;
				harness.call("DEL", ProcessHarness.key(RecurringWorker.QUEUE, "recurrences"));
			}
		}
	}

	/** Kills a process that works, and starts another one. */
	private void kill(ProcessHarness harness) {
		List<WorkerProcess> working = this.processes.stream().filter(WorkerProcess::isReady).toList();
		if (working.size() > 1) {
			WorkerProcess victim = working.get(this.random.nextInt(working.size()));
			victim.kill();
			this.processes.remove(victim);
			this.processes.add(launch(harness));
		}
	}

	private WorkerProcess launch(ProcessHarness harness) {
		return harness.launch(RecurringWorker.class, "process-" + this.started++);
	}

	private void check(ProcessHarness harness, Set<String> expected) {
		List<Line> begins = harness.lines((line) -> line.event().equals("begin"));
		assertThat(begins).extracting(Line::id).as("no other occurrences").allMatch(expected::contains);
		assertThat(begins.stream().filter((line) -> line.attempt() == 1).map(Line::id).toList())
			.as("first attempts: a second one would be that of a second message")
			.doesNotHaveDuplicates();
		Set<String> seen = new HashSet<>();
		long[] lateness = begins.stream()
			.filter((line) -> seen.add(line.id()))
			.mapToLong((line) -> line.millis()
					- Instant.parse(line.id().substring(line.id().indexOf('@') + 1)).toEpochMilli())
			.sorted()
			.toArray();
		System.out.println(expected.size() + " instants of " + this.schedules + " schedules in " + this.minutes
				+ " min, " + (this.started - PROCESSES) + " kills; lateness ms p50 " + lateness[lateness.length / 2]
				+ ", p99 " + lateness[lateness.length * 99 / 100] + ", max " + lateness[lateness.length - 1]
				+ "; repeated attempts " + (begins.size() - expected.size()));
		assertThat(lateness[0]).as("none is early").isNotNegative();
	}

	private static Set<String> missing(ProcessHarness harness, Set<String> expected) {
		Set<String> missing = new HashSet<>(expected);
		harness.lines((line) -> line.event().equals("begin")).forEach((line) -> missing.remove(line.id()));
		return missing;
	}

}
