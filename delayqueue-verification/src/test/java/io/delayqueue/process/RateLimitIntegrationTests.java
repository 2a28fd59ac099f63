package io.delayqueue.process;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.WorkerProcess;
import io.delayqueue.test.redis.RespClient;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rate limits and the cap of messages in flight, with processes that are frozen and
 * killed. The rates and the lateness of a run are printed, because they depend on the
 * machine.
 */
@Tag("slow")
class RateLimitIntegrationTests {

	private static final String RATE = "delayqueue.queues.work.rate-limit.";

	private static final int SECONDS = Integer.getInteger("delayqueue.test.rate.seconds", 30);

	@ParameterizedTest
	@ValueSource(ints = { 1, 4 })
	@DisplayName("row 73: frozen processes that come back do not exceed the rate of their queue")
	void theRateIsKept(int partitions) throws InterruptedException {
		try (ProcessHarness harness = new ProcessHarness()) {
			String[] settings = { "worker.work=true", RATE + "messages=100", RATE + "burst=100",
					"delayqueue.queues.work.partitions=" + partitions, "delayqueue.queues.work.concurrency=50" };
			List<WorkerProcess> workers = launch(harness, 3, settings);
			Instant due = Instant.now().plusSeconds(20);
			schedule(harness, 50_000, due, (n) -> (n % 10 == 0) ? "g-" + n : (n % 2 == 0) ? "hot" : null);
			HandOvers handOvers = new HandOvers(harness);
			long from = due.toEpochMilli() + 1000;
			Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> begins(harness).size() >= 100 * SECONDS / 2);
			workers.forEach(WorkerProcess::freeze);
			// Long enough for a full bucket, in whose use the old grants must not count
			Awaitility.await().pollDelay(Duration.ofSeconds(10)).until(() -> true);
			workers.forEach(WorkerProcess::resume);
			long back = System.currentTimeMillis();
			Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> begins(harness).size() >= 100 * SECONDS);

			List<Long> begins = begins(harness);
			long busiest = handOvers.busiestSecond();
			long frozenAt = begins.get(100 * SECONDS / 2 - 1);
			double before = 1000.0 * count(begins, from, frozenAt) / (frozenAt - from);
			long end = begins.get(begins.size() - 1);
			double after = 1000.0 * count(begins, back + 1000, end) / (end - back - 1000);
			System.out.printf(
					"%d partitions: busiest second %d (of %d samples), %.1f/s before and %.1f/s after the freeze%n",
					partitions, busiest, handOvers.samples.size(), before, after);
			assertThat(busiest).isLessThanOrEqualTo(200);
			assertThat(begins.size()).as("tokens of that time, and a burst")
				.isLessThanOrEqualTo((int) ((end - begins.get(0)) / 10) + 100);
		}
	}

	@Test
	void groupsBelowTheirLimitDoNotWait() {
		try (ProcessHarness harness = new ProcessHarness()) {
			launch(harness, 3, "worker.work=true", "delayqueue.queues.work.group.rate-limit.messages=10",
					"delayqueue.queues.work.group.rate-limit.burst=10", "delayqueue.queues.work.concurrency=50");
			Instant due = Instant.now().plusSeconds(5);
			List<ScheduleRequest> requests = new ArrayList<>();
			for (int n = 0; n < 90 * 1000; n++) {
				requests.add(ScheduleRequest.to("work").payload("hot done").group("hot").dueAt(due));
			}
			for (int n = 0; n < 10 * 1000; n++) {
				requests.add(ScheduleRequest.to("work")
					.payload("quiet-" + n + " done")
					.group("g-" + n % 999)
					.dueAt(due.plusMillis(3L * n)));
			}
			schedule(harness, requests);
			Awaitility.await()
				.atMost(Duration.ofMinutes(5))
				.until(() -> harness.lines((line) -> line.event().equals("begin") && line.id().startsWith("quiet-"))
					.size() == 10_000);
			// W17 of the benchmark measures how late they are
			assertThat(harness.lines((line) -> line.event().equals("begin") && line.id().equals("hot")))
				.as("messages of the group that waits for its limit")
				.hasSizeLessThan(9000);
		}
	}

	@Test
	@DisplayName("row 73: while processes are killed never more messages than allowed are in flight")
	void noMoreMessagesThanAllowedAreInFlightWhileProcessesAreKilled() {
		try (ProcessHarness harness = new ProcessHarness()) {
			String[] settings = { "worker.work=true", "delayqueue.queues.work.max-in-flight=10",
					"delayqueue.queues.work.partitions=4" };
			List<WorkerProcess> workers = launch(harness, 3, settings);
			List<ScheduleRequest> requests = new ArrayList<>();
			IntStream.range(0, 1500)
				.forEach((n) -> requests
					.add(ScheduleRequest.to("work").payload("m-" + n + " take 100").dueAt(Instant.now())));
			schedule(harness, requests);
			Map<Long, Integer> seen = new HashMap<>();
			int kills = 0;
			long killedAt = System.nanoTime();
			while (harness.lines((line) -> line.event().equals("end")).size() < 1500) {
				long pending = pending(harness);
				seen.merge(pending, 1, Integer::sum);
				assertThat(pending).isLessThanOrEqualTo(10);
				if (kills < 3 && System.nanoTime() - killedAt > Duration.ofSeconds(4).toNanos()) {
					workers.remove(0).kill();
					workers.add(harness.launch("again-" + kills, settings));
					kills++;
					killedAt = System.nanoTime();
				}
			}
			System.out.println("in flight, how often seen: " + seen);
		}
	}

	/** The pending messages of all partitions at one moment. */
	private static long pending(ProcessHarness harness) {
		Object pending = harness.redis().call("EVAL", """
				local sum = 0
				for _, ready in ipairs(KEYS) do
				  local p = redis.pcall('XPENDING', ready, 'consumers')
				  sum = sum + (p.err and 0 or p[1])
				end
				return sum""", "4", "dq:{work:0}:ready", "dq:{work:1}:ready", "dq:{work:2}:ready", "dq:{work:3}:ready");
		return (Long) pending;
	}

	private static List<WorkerProcess> launch(ProcessHarness harness, int processes, String... settings) {
		List<WorkerProcess> workers = new ArrayList<>();
		IntStream.range(0, processes).forEach((n) -> workers.add(harness.launch("worker-" + n, settings)));
		workers.forEach(WorkerProcess::awaitReady);
		return workers;
	}

	private static void schedule(ProcessHarness harness, int count, Instant due, IntFunction<@Nullable String> group) {
		schedule(harness, IntStream.range(0, count).mapToObj((n) -> {
			ScheduleRequest request = ScheduleRequest.to("work").payload("m-" + n + " done").dueAt(due);
			String name = group.apply(n);
			return (name != null) ? request.group(name) : request;
		}).toList());
	}

	private static void schedule(ProcessHarness harness, List<ScheduleRequest> requests) {
		for (int from = 0; from < requests.size(); from += 1000) {
			harness.queues().scheduleAll(requests.subList(from, Math.min(from + 1000, requests.size())));
		}
	}

	private static List<Long> begins(ProcessHarness harness) {
		return harness.lines((line) -> line.event().equals("begin")).stream().map(Line::millis).sorted().toList();
	}

	private static long count(List<Long> times, long from, long to) {
		return times.stream().filter((time) -> time >= from && time < to).count();
	}

	/**
	 * How many messages the partitions have handed over, sampled by the clock of Redis,
	 * so that no delay of a process shifts a time.
	 */
	private static final class HandOvers {

		private static final long SECOND_MICROS = 1_000_000;

		private final List<Sample> samples = new ArrayList<>();

		private final CompletableFuture<Void> end = new CompletableFuture<>();

		private final Thread sampler;

		HandOvers(ProcessHarness harness) {
			this.sampler = new Thread(() -> {
				try (RespClient redis = harness.redis().client()) {
					while (!this.end.isDone()) {
						this.samples.add(sample(redis));
					}
				}
			}, "hand-overs");
			this.sampler.start();
		}

		private record Sample(long micros, long messages) {
		}

		private static Sample sample(RespClient redis) {
			List<?> reply = (List<?>) redis.call("EVAL", """
					local time, sum = redis.call('TIME'), 0
					for _, ready in ipairs(KEYS) do
					  local groups = redis.pcall('XINFO', 'GROUPS', ready)
					  sum = sum + (groups[1] and groups[1][10] or 0)
					end
					return {time[1] * 1000000 + time[2], sum}""", "4", "dq:{work:0}:ready", "dq:{work:1}:ready",
					"dq:{work:2}:ready", "dq:{work:3}:ready");
			return new Sample((Long) reply.get(0), (Long) reply.get(1));
		}

		long busiestSecond() throws InterruptedException {
			this.end.complete(null);
			this.sampler.join();
			long most = 0;
			for (int from = 0, to = 0; to < this.samples.size(); to++) {
				Sample last = this.samples.get(to);
				while (last.micros() - this.samples.get(from).micros() >= SECOND_MICROS) {
					from++;
				}
				most = Math.max(most, last.messages() - this.samples.get(from).messages());
			}
			return most;
		}

	}

}
