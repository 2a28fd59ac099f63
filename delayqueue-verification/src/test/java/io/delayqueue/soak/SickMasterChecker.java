package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.Servers;

/**
 * Evaluates what the soak's queue has delivered while a master of a cluster was frozen:
 * the messages on other masters are hardly late.
 */
final class SickMasterChecker {

	/** A master was frozen or resumed; with its port. */
	static final String FROZEN = "master-frozen";

	static final String RESUMED = "master-resumed";

	/** Much shorter than a master is frozen. */
	private static final long LATE_MILLIS = 2500;

	/**
	 * The time before the freeze without another fault. If messages are late then, the
	 * machine is too busy to tell.
	 */
	static final long BEFORE_MILLIS = 5000;

	private static final long ON_TIME_MILLIS = 1000;

	/** Too few messages for a percentile. */
	private static final int FEW = 20;

	private final Servers servers;

	private final Map<String, Integer> ports = new HashMap<>();

	private final List<String> figures = new ArrayList<>();

	private final Map<String, List<String>> violations = new LinkedHashMap<>();

	SickMasterChecker(List<Line> lines, Servers servers) {
		this.servers = servers;
		long frozen = 0;
		for (Line line : lines) {
			switch (line.event()) {
				case FROZEN -> frozen = line.millis();
				case RESUMED -> judge(lines, frozen, line.millis(), Integer.parseInt(line.more()));
				default -> {
				}
			}
		}
	}

	/** The broken rules. */
	Map<String, List<String>> violations() {
		return this.violations;
	}

	/** What was measured, in one line. */
	String figures() {
		return "frozen masters: " + this.figures;
	}

	private void judge(List<Line> lines, long frozen, long resumed, int port) {
		List<Long> before = late(lines, frozen - BEFORE_MILLIS, frozen, 0);
		List<Long> late = late(lines, frozen, resumed, port);
		if (Math.min(before.size(), late.size()) < FEW) {
			return;
		}
		this.figures.add("%d messages on others in %d ms late p50 %d p99 %d ms, before p99 %d ms".formatted(late.size(),
				resumed - frozen, late.get(late.size() / 2), p99(late), p99(before)));
		if (p99(before) < ON_TIME_MILLIS && p99(late) > LATE_MILLIS) {
			this.violations
				.computeIfAbsent("late on a master that was not frozen, at p99", (absent) -> new ArrayList<>())
				.add(p99(late) + " ms");
		}
	}

	/**
	 * The lateness of the first deliveries of messages that were due in a time and are on
	 * other masters. What is delivered after this time may be late because of another
	 * fault.
	 */
	private List<Long> late(List<Line> lines, long from, long to, int otherThan) {
		List<Long> late = new ArrayList<>();
		Set<String> seen = new HashSet<>();
		for (Line line : lines) {
			if (line.event().equals(AnswerChecker.DELIVERED)) {
				String[] fields = line.more().split(",");
				long due = Long.parseLong(fields[2]);
				if (due >= from && due < to && port(fields[4]) != otherThan && seen.add(line.id() + due)) {
					late.add(Math.min(Long.parseLong(fields[1]) / 1000, to) - due);
				}
			}
		}
		late.sort(null);
		return late;
	}

	private static long p99(List<Long> sorted) {
		return sorted.get(sorted.size() * 99 / 100);
	}

	private int port(String partition) {
		return this.ports.computeIfAbsent(partition,
				(absent) -> this.servers.of("dq:{" + partition + "}:messages").port());
	}

}
