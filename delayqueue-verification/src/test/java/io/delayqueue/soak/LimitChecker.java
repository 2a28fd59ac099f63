package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.process.fixture.Journal.Line;

/**
 * Evaluates the limited queue of a soak from the journal: no fault excuses more messages
 * in a second than allowed, or a delivery from a hold on. In at least one second, the
 * queue must deliver half of its rate: a token of a small burst is lost if no reader asks
 * for it within some 30 ms, so this second may be the one after all faults. A handler may
 * begin a message that was delivered before, until its process learns of the hold.
 */
final class LimitChecker {

	/** The longest time until a process that receives no hints learns of a hold. */
	private static final long LEARNED_MILLIS = 6000;

	private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);

	private final List<Line> lines;

	private final Set<String> accepted;

	private final long mostPending;

	/** The number of ends in the history. */
	private final int kept;

	private final Map<String, List<Hold>> holds = new HashMap<>();

	/** When a process was frozen or resumed, or Redis away, ms. */
	private final Map<String, List<Long>> interruptions = new HashMap<>();

	private final Map<String, List<String>> violations = new LinkedHashMap<>();

	/**
	 * Creates a checker.
	 * @param accepted the ids that Redis has accepted
	 * @param lines the journal
	 * @param mostPending the most messages that were pending at a moment
	 * @param kept the number of ends in the history
	 */
	LimitChecker(Set<String> accepted, List<Line> lines, long mostPending, int kept) {
		this.accepted = accepted;
		this.kept = kept;
		this.lines = lines;
		this.mostPending = mostPending;
	}

	/**
	 * A hold.
	 *
	 * @param storedMillis when it had been stored
	 * @param untilMillis its end
	 */
	private record Hold(long storedMillis, long untilMillis) {
	}

	/** The broken rules, and the messages that break them. */
	Map<String, List<String>> judge() {
		Set<String> ended = new HashSet<>();
		Map<String, List<Long>> handedOver = new HashMap<>();
		readHolds();
		for (Line line : this.lines) {
			switch (line.event()) {
				case LimitedQueue.HANDED_OVER -> handedOver(line, handedOver);
				case LimitedQueue.BEGIN -> begins(line);
				case LimitedQueue.END -> ended.add(line.id());
				default -> {
				}
			}
		}
		this.accepted.stream().filter((id) -> !ended.contains(id)).forEach((id) -> violate("lost or stuck", id));
		handedOver.forEach((name, times) -> {
			boolean isQueue = name.equals(LimitedQueue.NAME);
			int allowed = isQueue ? LimitedQueue.RATE + LimitedQueue.BURST
					: LimitedQueue.GROUP_RATE + LimitedQueue.GROUP_BURST;
			int busiest = busiest(times);
			if (busiest > allowed) {
				violate("more than " + allowed + " in a second", name + ": " + busiest);
			}
		});
		int busiest = busiest(handedOver.getOrDefault(LimitedQueue.NAME, new ArrayList<>()));
		if (this.accepted.size() >= 2 * LimitedProducer.AT_ONCE && busiest < LimitedQueue.RATE / 2) {
			violate("less than half of the rate in every second", Integer.toString(busiest));
		}
		if (this.mostPending > LimitedQueue.MAX_IN_FLIGHT) {
			violate("more than max-in-flight", Long.toString(this.mostPending));
		}
		boolean hasEndsOfAllGroups = IntStream.range(0, LimitedQueue.GROUPS)
			.mapToObj(LimitedQueue::group)
			.allMatch((group) -> ended.stream()
				.filter((name) -> LimitedQueue.groupOf(name).equals(group))
				.count() >= LimitedQueue.HISTORY);
		if (hasEndsOfAllGroups && this.kept < SoakPlan.PARTITIONS * LimitedQueue.HISTORY) {
			violate("fewer ends in the history than its partitions keep", Integer.toString(this.kept));
		}
		return this.violations;
	}

	/** The measured figures, in one line. */
	String figures() {
		Map<String, List<Long>> handedOver = new HashMap<>();
		this.lines.stream()
			.filter((line) -> line.event().equals(LimitedQueue.HANDED_OVER))
			.forEach((line) -> handedOver.computeIfAbsent(LimitedQueue.NAME, (name) -> new ArrayList<>())
				.add(micros(line)));
		List<Long> times = handedOver.getOrDefault(LimitedQueue.NAME, List.of());
		return "limited queue: %d accepted, %d handed over, at most %d in a second, %d pending, %d holds, %d hung"
			.formatted(this.accepted.size(), times.size(), busiest(new ArrayList<>(times)), this.mostPending,
					this.holds.values().stream().mapToInt(List::size).sum(), hung());
	}

	/** The runs that hung: their messages end in a later attempt, or they are lost. */
	private long hung() {
		return this.lines.stream()
			.filter((line) -> line.event().equals(LimitedQueue.BEGIN) && line.attempt() == 1
					&& line.more().equals(LimitedHandler.HANGS))
			.count();
	}

	private void readHolds() {
		for (Line line : this.lines) {
			switch (line.event()) {
				case LimitedQueue.HELD -> this.holds.computeIfAbsent(line.id(), (subject) -> new ArrayList<>())
					.add(new Hold(line.millis(), Long.parseLong(line.more())));
				case "stopped", "resumed", "outage" ->
					this.interruptions.computeIfAbsent(line.id(), (subject) -> new ArrayList<>()).add(line.millis());
				default -> {
				}
			}
		}
	}

	/** A message of a held group that is marked goes back. */
	private void handedOver(Line line, Map<String, List<Long>> handedOver) {
		String group = LimitedQueue.groupOf(line.id());
		handedOver.computeIfAbsent(LimitedQueue.NAME, (name) -> new ArrayList<>()).add(micros(line));
		handedOver.computeIfAbsent(group, (name) -> new ArrayList<>()).add(micros(line));
		boolean isMarked = line.more().endsWith(",2");
		if (!isMarked && isHeld(group, micros(line) / 1000, 0)) {
			violate("delivered while held", line.id());
		}
	}

	private void begins(Line line) {
		boolean isExcused = wasInterrupted(line.process(), line.millis())
				|| wasInterrupted(Checker.REDIS, line.millis());
		if (!isExcused && isHeld(LimitedQueue.groupOf(line.id()), line.millis(), LEARNED_MILLIS)) {
			violate("begun long after a hold", line.id());
		}
	}

	private boolean isHeld(String group, long millis, long after) {
		return List.of(group, LimitedQueue.NAME)
			.stream()
			.flatMap((subject) -> this.holds.getOrDefault(subject, List.of()).stream())
			.anyMatch((hold) -> millis > hold.storedMillis() + after && millis < hold.untilMillis());
	}

	private boolean wasInterrupted(String subject, long millis) {
		return this.interruptions.getOrDefault(subject, List.of())
			.stream()
			.anyMatch((at) -> at <= millis && millis - at < LEARNED_MILLIS);
	}

	private static long micros(Line line) {
		return Long.parseLong(line.more().split(",")[0]);
	}

	private static int busiest(List<Long> times) {
		times.sort(null);
		int most = 0;
		for (int from = 0, to = 0; to < times.size(); to++) {
			while (times.get(to) - times.get(from) >= SECOND_MICROS) {
				from++;
			}
			most = Math.max(most, to - from + 1);
		}
		return most;
	}

	private void violate(String rule, String what) {
		this.violations.computeIfAbsent("of the limited queue: " + rule, (absent) -> new ArrayList<>()).add(what);
	}

}
