package io.delayqueue.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.HoldException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.Servers;
import io.delayqueue.test.redis.RespClient;

/**
 * Two queues of the soak whose messages all become dead letters, each with a dead-letter
 * queue without a consumer.
 * <p>
 * The dead-letter queue of the first one refuses all dead letters of a group but one,
 * from the beginning of the soak. After all faults each queue gets messages of another
 * group, which the refused ones must not delay. The messages of the second queue are
 * deferred, or hold their queue, for no time, until they have done so too often.
 *
 * @param journal the journal of this process
 */
record FailingQueues(Writer journal) {

	static final String BLOCKED = "blocked";

	static final String FREE = "free";

	/** The end of the names of the dead-letter queues. */
	static final String LETTERS = "-letters";

	/** All queues; none is ever empty. */
	static final List<String> NAMES = List.of(BLOCKED, FREE, BLOCKED + LETTERS, FREE + LETTERS);

	static final String BEGIN = "free-begin";

	static final String HOLDS = "free-holds";

	static final String DEFERS = "free-defers";

	private static final int REFUSED = 5;

	private static final int DEFERRALS = 6;

	/** The wait if the partner states none, ms. */
	static final long HELD_MILLIS = 400;

	/** The shortest deferral, ms. */
	static final long DEFERRED_MILLIS = 100;

	private static final long LONGEST_WAIT_SECONDS = 60;

	/** Much longer than the time between two checks for dead letters. */
	private static final long LATER_SECONDS = 15;

	@DelayedListener(queue = BLOCKED)
	void handleBlocked(DelayedMessage<String> message) {
		throw new IllegalStateException("as planned");
	}

	@DelayedListener(queue = FREE)
	void handleFree(DelayedMessage<String> message) {
		this.journal.add(BEGIN, message.id(), message.attempt(), "-");
		throw message.id().equals(HOLDS)
				? HoldException.queueRetryAfter("0", Duration.ofMillis(HELD_MILLIS), "as planned")
				: new DeferException(Duration.ZERO);
	}

	/** The settings of its queues. */
	static List<String> arguments() {
		List<String> arguments = new ArrayList<>();
		NAMES.forEach((queue) -> arguments.add("--delayqueue.queues." + queue + ".partitions=1"));
		for (String queue : List.of(BLOCKED, FREE)) {
			String prefix = "--delayqueue.queues." + queue + ".";
			arguments.addAll(List.of(prefix + "max-attempts=1", prefix + "max-defers=" + DEFERRALS,
					prefix + "dead-letter-queue=" + queue + LETTERS));
		}
		arguments.add("--delayqueue.queues." + BLOCKED + LETTERS + ".group.quota=1");
		return arguments;
	}

	/** Schedules the messages whose dead letters are refused. */
	static void begin(DelayQueueOperations queues) {
		queues.scheduleAll(
				IntStream.range(0, REFUSED).mapToObj((n) -> request(BLOCKED, "full", "refused-" + n)).toList());
	}

	/** Schedules messages of each queue; no fault happens any more. */
	static void end(DelayQueueOperations queues) {
		queues.scheduleAll(List.of(request(BLOCKED, "other", "last"), request(FREE, "other", HOLDS),
				request(FREE, "other", DEFERS)));
	}

	private static ScheduleRequest request(String queue, String group, String id) {
		return ScheduleRequest.to(queue).id(id).group(group).payload("fails").delay(Duration.ZERO);
	}

	/**
	 * Waits until a dead letter of each queue has moved, for a bounded time.
	 * @return the dead-letter queues that got none, although another one did much earlier
	 */
	static List<String> await(Servers servers) {
		await(servers, FREE, LONGEST_WAIT_SECONDS);
		return await(servers, BLOCKED, LATER_SECONDS) ? List.of() : List.of(BLOCKED);
	}

	private static boolean await(Servers servers, String queue, long seconds) {
		String groups = "dq:{" + queue + LETTERS + ":0}:grouped";
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
		boolean arrived = false;
		try (RespClient client = servers.of(groups).client()) {
			while (!arrived && System.nanoTime() - end < 0) {
				arrived = String.valueOf(client.call("HVALS", groups)).contains("other");
				Faults.pause(100);
			}
		}
		return arrived;
	}

	/** The broken rules. */
	static Map<String, List<String>> violations(List<Line> lines, List<String> waiting) {
		Map<String, List<String>> violations = new LinkedHashMap<>();
		Map<String, Line> begins = new HashMap<>();
		for (Line line : lines) {
			if (line.event().equals(BEGIN)) {
				Line earlier = begins.put(line.id(), line);
				long wait = line.id().equals(HOLDS) ? HELD_MILLIS : DEFERRED_MILLIS;
				if (earlier != null && earlier.process().equals(line.process())
						&& line.millis() - earlier.millis() < wait) {
					violations.computeIfAbsent("begun again before its wait", (absent) -> new ArrayList<>())
						.add(line.id() + " after " + (line.millis() - earlier.millis()) + " ms");
				}
			}
		}
		if (!waiting.isEmpty()) {
			violations.put("dead letters that wait for refused ones of another group", waiting);
		}
		return violations;
	}

}
