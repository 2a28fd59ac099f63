package io.delayqueue.process;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.process.fixture.Journal.Line;

/**
 * How late messages began that no killed process held: the first attempts, because a
 * message that was held begins with a later one. In a strict group the time counts from
 * the end of the message before. The paused queue is left out.
 *
 * @param messages the number of messages
 * @param mostMillis the most, ms
 * @param percentile99 the 99th percentile, ms
 * @param mostAtChanges the most of those due close to a change of the partition count, ms
 * @param latest the latest messages
 */
record Lateness(int messages, long mostMillis, long percentile99, long mostAtChanges, List<String> latest) {

	private static final long CLOSE_MILLIS = 3000;

	private static final int SHOWN = 8;

	static Lateness of(Map<String, StoredMessage> messages, List<Line> lines, List<Long> changes) {
		Map<String, Long> late = new HashMap<>(new StrictGroups(messages, lines).lateness());
		Map<String, Line> begins = new HashMap<>();
		messages.forEach((name, message) -> message.begins()
			.stream()
			.filter((line) -> line.attempt() == 1 && !name.startsWith("paused/"))
			.findFirst()
			.ifPresent((line) -> {
				begins.put(name, line);
				late.putIfAbsent(name, Math.max(0, line.millis() - Long.parseLong(line.more())));
			}));
		late.keySet().retainAll(begins.keySet());
		List<Map.Entry<String, Long>> sorted = late.entrySet()
			.stream()
			.sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
			.toList();
		long atChanges = sorted.stream()
			.filter((entry) -> changes.stream()
				.anyMatch((change) -> Math.abs(begins.get(entry.getKey()).millis() - change) < CLOSE_MILLIS))
			.mapToLong(Map.Entry::getValue)
			.max()
			.orElse(0);
		return new Lateness(sorted.size(), sorted.get(0).getValue(), sorted.get(sorted.size() / 100).getValue(),
				atChanges,
				sorted.stream()
					.limit(SHOWN)
					.map((entry) -> entry.getValue() + " ms " + messages.get(entry.getKey()) + " "
							+ begins.get(entry.getKey()))
					.toList());
	}

}
