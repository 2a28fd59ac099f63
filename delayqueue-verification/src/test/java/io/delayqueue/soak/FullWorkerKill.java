package io.delayqueue.soak;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.Journal.Writer;

/**
 * A worker is killed that has many handlers at work which run for long, while other
 * messages of their queue go on. {@link LongChecker} evaluates the journal. No other
 * fault happens until all these messages have ended.
 */
final class FullWorkerKill {

	/** For each worker, fewer than it handles at once. */
	private static final int LONG = 8;

	private static final int INNOCENT = 5;

	/**
	 * Longer than a visibility timeout, and long enough for their worker to be killed.
	 */
	private static final int LONG_MILLIS = 4000;

	private static final int SHORT_MILLIS = 10;

	private static final int BETWEEN_MILLIS = 50;

	private static final long LONGEST_WAIT_SECONDS = 60;

	private final Fleet fleet;

	private final DelayQueueOperations queues;

	private final Journal journal;

	private final Writer writer;

	private int stored;

	/** The number of lines in the journal before the fault. */
	private int first;

	FullWorkerKill(Fleet fleet, DelayQueueOperations queues, Journal journal, Writer writer) {
		this.fleet = fleet;
		this.queues = queues;
		this.journal = journal;
		this.writer = writer;
	}

	/** Injects the fault; all workers run. */
	void happen() {
		this.first = this.journal.lines().size();
		Instant due = Instant.ofEpochMilli(System.currentTimeMillis()).plusMillis(500);
		int all = LONG * this.fleet.size();
		for (int i = 0; i < all + INNOCENT; i++) {
			schedule((i < all) ? LongQueue.NAME : LongQueue.INNOCENT, due, LONG_MILLIS);
		}
		await(() -> held().values().stream().mapToInt(Set::size).sum() == all + INNOCENT);
		Map<String, Set<String>> held = held();
		int full = 0;
		for (int i = 1; i < this.fleet.size(); i++) {
			full = (heldBy(i, held) > heldBy(full, held)) ? i : full;
		}
		String killed = this.fleet.get(full).name();
		this.fleet.kill(full);
		this.writer.add(LongQueue.KILLED, killed, 0, "-");
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LongChecker.AGAIN_MILLIS);
		while (System.nanoTime() - end < 0) {
			schedule(LongQueue.NAME, Instant.ofEpochMilli(System.currentTimeMillis()), SHORT_MILLIS);
			Faults.pause(BETWEEN_MILLIS);
		}
		await(() -> ended() == this.stored);
	}

	private int heldBy(int worker, Map<String, Set<String>> held) {
		return held.getOrDefault(this.fleet.get(worker).name(), Set.of()).size();
	}

	private void schedule(String queue, Instant due, int millis) {
		String id = queue + "-" + ++this.stored;
		this.queues.schedule(ScheduleRequest.to(queue).id(id).payload(Integer.toString(millis)).dueAt(due));
		this.writer.add(LongQueue.STORED, id, 0, (millis == LONG_MILLIS) ? LongQueue.FILLS : "-");
	}

	/** The messages that run, by worker. */
	private Map<String, Set<String>> held() {
		Map<String, Set<String>> held = new HashMap<>();
		for (Line line : this.journal.linesFrom(this.first)) {
			Set<String> own = held.computeIfAbsent(line.process(), (process) -> new HashSet<>());
			if (line.event().equals(LongQueue.BEGIN)) {
				own.add(line.id());
			}
			else if (line.event().equals(LongQueue.END)) {
				own.remove(line.id());
			}
		}
		return held;
	}

	private long ended() {
		List<Line> lines = this.journal.lines();
		return lines.stream().filter((line) -> line.event().equals(LongQueue.END)).map(Line::id).distinct().count();
	}

	/** What never comes is left to the checker. */
	private static void await(BooleanSupplier condition) {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS);
		while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
			Faults.pause(BETWEEN_MILLIS);
		}
	}

}
