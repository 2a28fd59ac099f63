package io.delayqueue.process;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.store.Members;

/**
 * The lateness of messages that no killed process held. Only first attempts count,
 * because a message that was held begins with a later attempt. In a strict group the time
 * counts from the end of the message before. The paused queue is left out.
 *
 * @param messages the number of messages
 * @param percentile99 the 99th percentile, ms
 * @param mostByDead the most, ms, by the number of killed processes that may still have
 * been listed as members then, and so may have had turns
 * @param mostAtChanges the most within three seconds of a change of the partition count,
 * while no killed process was listed, or one, ms
 * @param latest the latest messages
 */
record Lateness(int messages, long percentile99, Map<Integer, Long> mostByDead, long mostAtChanges,
		List<String> latest) {

	private static final long CLOSE_MILLIS = 3000;

	/** A process that is listed may see the end of another one a refresh later. */
	private static final long LISTED_MILLIS = Members.TIME_TO_LIVE.toMillis() + 1500;

	private static final int SHOWN = 5;

	static Lateness of(Map<String, StoredMessage> messages, List<Line> lines, List<Long> changes) {
		Map<String, Long> inOrder = new StrictGroups(messages, lines).lateness();
		List<Long> kills = lines.stream()
			.filter((line) -> line.event().equals(LoadChecker.KILLED))
			.map(Line::millis)
			.toList();
		Map<String, Late> late = new HashMap<>();
		lines.stream()
			.filter((line) -> line.event().equals("begin") && line.attempt() == 1 && messages.containsKey(line.id())
					&& !line.id().startsWith("paused/"))
			.forEach((line) -> late.putIfAbsent(line.id(), new Late(line,
					inOrder.getOrDefault(line.id(), Math.max(0, line.millis() - Long.parseLong(line.more()))))));
		List<Late> sorted = late.values().stream().sorted(Comparator.comparingLong(Late::millis).reversed()).toList();
		Map<Integer, Long> byDead = new TreeMap<>();
		sorted.forEach((one) -> byDead.merge(one.dead(kills), one.millis(), Math::max));
		return new Lateness(sorted.size(), sorted.get(sorted.size() / 100).millis(), byDead,
				sorted.stream()
					.filter((one) -> one.isClose(changes) && one.dead(kills) <= 1)
					.mapToLong(Late::millis)
					.max()
					.orElse(0),
				sorted.stream()
					.limit(SHOWN)
					.map((one) -> one.millis() + " ms " + messages.get(one.begin().id()) + " " + one.begin())
					.toList());
	}

	/**
	 * A message.
	 *
	 * @param begin the begin of its first handler
	 * @param millis its lateness, ms
	 */
	private record Late(Line begin, long millis) {

		boolean isClose(List<Long> changes) {
			return changes.stream().anyMatch((change) -> Math.abs(this.begin.millis() - change) < CLOSE_MILLIS);
		}

		int dead(List<Long> kills) {
			return (int) kills.stream()
				.filter((kill) -> kill < this.begin.millis()
						&& kill > this.begin.millis() - this.millis - LISTED_MILLIS)
				.count();
		}

	}

}
