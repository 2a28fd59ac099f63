package io.delayqueue.soak;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.Journal.Writer;

/**
 * Three queues of the soak that get many messages at the same time, after all faults. The
 * first two may each have as many messages in flight: one by its concurrency, the other,
 * whose concurrency is higher, by {@code max-in-flight}. The third has a rate and a small
 * burst. The limits must not make their queues much slower than they say, or than the
 * first queue is on this machine.
 *
 * @param journal the journal of this process
 */
record NarrowQueues(Writer journal) {

	static final String BY_CONCURRENCY = "narrow-concurrency";

	static final String BY_LIMIT = "narrow-limit";

	static final String BY_RATE = "narrow-rate";

	static final List<String> QUEUES = List.of(BY_CONCURRENCY, BY_LIMIT, BY_RATE);

	static final String BEGIN = "narrow-begin";

	static final String END = "narrow-end";

	private static final int CONCURRENCY = 1;

	/** Messages a second, and messages in all. */
	private static final int RATE = 500;

	private static final int BURST = 24;

	private static final int MESSAGES = 150;

	/** Much longer than the work for a message. */
	private static final int HANDLING_MILLIS = 20;

	/** How much slower a limit may make its queue. */
	private static final int TIMES = 3;

	@DelayedListener(queue = BY_CONCURRENCY)
	void handle(DelayedMessage<String> message) throws InterruptedException {
		run(message);
	}

	@DelayedListener(queue = BY_LIMIT)
	void handleLimited(DelayedMessage<String> message) throws InterruptedException {
		run(message);
	}

	@DelayedListener(queue = BY_RATE)
	void handleRated(DelayedMessage<String> message) throws InterruptedException {
		run(message);
	}

	private void run(DelayedMessage<String> message) throws InterruptedException {
		this.journal.add(BEGIN, message.id(), message.attempt(), message.queue());
		Thread.sleep(HANDLING_MILLIS);
		this.journal.add(END, message.id(), message.attempt(), message.queue());
	}

	/** The settings of its consumers. */
	static List<String> arguments(int workers) {
		String prefix = "--delayqueue.queues.";
		return List.of(prefix + BY_CONCURRENCY + ".concurrency=" + CONCURRENCY,
				prefix + BY_CONCURRENCY + ".partitions=1", prefix + BY_LIMIT + ".partitions=1",
				prefix + BY_LIMIT + ".max-in-flight=" + CONCURRENCY * workers,
				prefix + BY_RATE + ".rate-limit.messages=" + RATE, prefix + BY_RATE + ".rate-limit.burst=" + BURST);
	}

	/** Schedules the messages of all queues; no fault happens any more. */
	static void schedule(DelayQueueOperations queues) {
		for (String queue : QUEUES) {
			queues.scheduleAll(IntStream.range(0, queue.equals(BY_RATE) ? RATE : MESSAGES)
				.mapToObj((n) -> ScheduleRequest.to(queue)
					.id(queue + "-" + n)
					.payload("narrow")
					.delay(Duration.ofMillis(500)))
				.toList());
		}
	}

	/** The broken rules, and the queues that break them. */
	static Map<String, List<String>> violations(List<Line> lines) {
		Map<String, Long> millis = millis(lines);
		long usual = Math.max(millis.getOrDefault(BY_CONCURRENCY, Long.MAX_VALUE / TIMES), 1000);
		List<String> slow = Stream.of(BY_LIMIT, BY_RATE)
			.filter((queue) -> millis.getOrDefault(queue, 0L) > TIMES * usual)
			.map((queue) -> queue + " " + millis.get(queue) + " ms instead of " + usual)
			.toList();
		return slow.isEmpty() ? Map.of() : Map.of("much slower by a limit", slow);
	}

	/** What was reached, in one line. */
	static String figures(List<Line> lines) {
		return "narrow queues: took " + millis(lines) + " ms";
	}

	/** The time from the first begin to the last end of each queue, ms. */
	private static Map<String, Long> millis(List<Line> lines) {
		return lines.stream()
			.filter((line) -> line.event().equals(BEGIN) || line.event().equals(END))
			.collect(Collectors.groupingBy(Line::more, TreeMap::new, Collectors.collectingAndThen(
					Collectors.summarizingLong(Line::millis), (times) -> times.getMax() - times.getMin())));
	}

}
