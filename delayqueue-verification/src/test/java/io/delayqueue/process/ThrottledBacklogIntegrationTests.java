package io.delayqueue.process;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.Servers;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a delivered message costs while many throttled messages wait in 10,000 groups,
 * compared with messages without limits in the same run. {@code
 * -Dlimits.waiting=1000000} sets their number; the costs are printed.
 */
@Tag("slow")
class ThrottledBacklogIntegrationTests {

	private static final int GROUPS = 10_000;

	private static final int OF_A_CALL = 1000;

	private static final int SECONDS = 20;

	private static final int PER_SECOND = 1000;

	private static final Duration LIMIT = Duration.ofMinutes(5);

	private static final Pattern STATISTIC = Pattern.compile("cmdstat_([\\w|-]+):calls=(\\d+)");

	@Test
	void throttledMessagesCostNothingWhileTheyWait() {
		int waiting = Integer.getInteger("limits.waiting", 50_000);
		double unlimited = cost("without limits", 0, PER_SECOND * SECONDS);
		double few = cost("20,000 throttled", 20_000, 0);
		double many = cost(waiting + " throttled", waiting, 0);

		assertThat(few).isLessThanOrEqualTo(unlimited + 2);
		assertThat(many).isLessThanOrEqualTo(unlimited + 2);
	}

	/** The commands that clients send for each message that is delivered. */
	private static double cost(String name, int throttled, int unlimited) {
		try (ProcessHarness harness = new ProcessHarness(Servers.inMemory(Servers.Kind.STANDALONE))) {
			if (throttled > 0) {
				Instant due = Instant.now();
				schedule(harness, throttled, (n) -> due);
			}
			String[] settings = (throttled > 0)
					? new String[] { "worker.work=true", "delayqueue.queues.work.concurrency=50",
							"delayqueue.queues.work.group.rate-limit.messages=1",
							"delayqueue.queues.work.group.rate-limit.per=10s",
							"delayqueue.queues.work.group.rate-limit.burst=1" }
					: new String[] { "worker.work=true", "delayqueue.queues.work.concurrency=50" };
			harness.launch("worker", settings).awaitReady();
			if (throttled > 0) {
				Awaitility.await("each group has had its burst, and the rest is parked")
					.atMost(LIMIT)
					.until(() -> harness.size("ZCARD", "work", "scheduled") == 0
							&& harness.size("ZCARD", "work", "parked") > 0);
			}
			harness.redis().call("CONFIG", "SET", "slowlog-log-slower-than", "1000");
			harness.redis().call("SLOWLOG", "RESET");
			long delivered = delivered(harness);
			harness.redis().call("CONFIG", "RESETSTAT");
			if (unlimited > 0) {
				Instant from = Instant.now();
				schedule(harness, unlimited, (n) -> from.plusMillis(2000 + n * 1000L / PER_SECOND));
				harness.redis().call("CONFIG", "RESETSTAT");
			}
			long most = Math.min(delivered + PER_SECOND * SECONDS, throttled + unlimited);
			Awaitility.await().atMost(LIMIT).until(() -> delivered(harness) >= most);
			Map<String, Long> calls = calls(harness);
			long of = delivered(harness) - delivered;
			double sent = (double) calls.getOrDefault("evalsha", 0L) / of;
			long all = calls.values().stream().mapToLong(Long::longValue).sum();
			System.out.printf(
					"%s: %d delivered, %.2f scripts a message, %.2f commands in them, slowest scripts us: %s%n", name,
					of, sent, (double) all / of - sent, slowest(harness));
			return sent;
		}
	}

	/**
	 * The messages that were moved to the stream, which the limited ones leave at once.
	 */
	private static long delivered(ProcessHarness harness) {
		Object text = harness.redis()
			.call("EVAL", "local i = redis.pcall('XINFO', 'STREAM', KEYS[1]) return i.err and 0 or i[12]", "1",
					ProcessHarness.key("work", "ready"));
		return (Long) text;
	}

	private static Map<String, Long> calls(ProcessHarness harness) {
		Map<String, Long> calls = new TreeMap<>();
		Matcher found = STATISTIC.matcher(String.valueOf(harness.redis().call("INFO", "commandstats")));
		while (found.find()) {
			calls.put(found.group(1), Long.valueOf(found.group(2)));
		}
		List.of("eval", "info", "config|resetstat", "config|set", "xinfo|stream", "slowlog|reset")
			.forEach(calls::remove);
		return calls;
	}

	private static List<Long> slowest(ProcessHarness harness) {
		return ((List<?>) harness.redis().call("SLOWLOG", "GET", "128")).stream()
			.map((entry) -> (List<?>) entry)
			.filter((entry) -> ((List<?>) entry.get(3)).get(0).toString().equalsIgnoreCase("evalsha"))
			.map((entry) -> (Long) entry.get(2))
			.sorted((one, other) -> Long.compare(other, one))
			.limit(5)
			.toList();
	}

	private static void schedule(ProcessHarness harness, int count, IntFunction<Instant> due) {
		for (int from = 0; from < count; from += OF_A_CALL) {
			List<ScheduleRequest> requests = IntStream.range(from, Math.min(count, from + OF_A_CALL))
				.mapToObj((n) -> ScheduleRequest.to("work")
					.payload("m-" + n + " done")
					.group("g-" + n % GROUPS)
					.dueAt(due.apply(n)))
				.toList();
			harness.queues().scheduleAll(requests);
		}
	}

}
