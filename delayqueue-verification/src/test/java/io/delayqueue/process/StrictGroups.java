package io.delayqueue.process;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

import io.delayqueue.process.fixture.Journal.Line;
import org.jspecify.annotations.Nullable;

/**
 * Follows the groups of the queue in strict order through the journal, whose order is
 * that of the events. All due times are later than the calls that set them; so when a
 * message begins, all those with an earlier due time are known.
 */
final class StrictGroups {

	private final Map<String, StoredMessage> messages;

	private final List<Line> lines;

	private final Map<String, Group> groups = new HashMap<>();

	StrictGroups(Map<String, StoredMessage> messages, List<Line> lines) {
		this.messages = messages;
		this.lines = lines;
	}

	/** A group at a line of the journal. */
	private static final class Group {

		private @Nullable Line current;

		private long latestDue;

		/** The last time at which a message of the group ended or made room. */
		private long lastEnd;

	}

	/** Checks order and overlap. */
	void check(BiConsumer<String, Object> fault) {
		Set<String> dead = new HashSet<>();
		for (Line line : this.lines) {
			if (line.event().equals(LoadChecker.KILLED)) {
				dead.add(line.id());
			}
			StoredMessage message = this.messages.get(line.id());
			if (message == null || !message.call().queue().equals("strict") || isCancelled(line, line)) {
				continue;
			}
			Group group = this.groups.computeIfAbsent(message.call().group(), (absent) -> new Group());
			if (line.event().equals("begin")) {
				Line current = group.current;
				if (current != null && !dead.contains(current.process()) && !isCancelled(current, line)) {
					fault.accept("at the same time in a strict group", current + " " + line);
				}
				long due = Long.parseLong(line.more());
				if (due < group.latestDue) {
					fault.accept("out of order in a strict group", message + " " + line + " after " + group.latestDue);
				}
				group.latestDue = Math.max(due, group.latestDue);
				group.current = line;
			}
			else if (group.current != null && group.current.id().equals(line.id())) {
				group.current = null;
			}
		}
	}

	/**
	 * A message that is cancelled while a process holds it frees its place; its handler
	 * may begin or finish meanwhile.
	 */
	private boolean isCancelled(Line held, Line now) {
		StoredMessage message = this.messages.get(held.id());
		return message != null && message.cancelledFrom() <= now.millis();
	}

	/**
	 * The lateness of each first attempt, from the time when its group let it begin.
	 * @return by name, ms
	 */
	Map<String, Long> lateness() {
		Map<String, Long> late = new HashMap<>();
		for (Line line : this.lines) {
			StoredMessage message = this.messages.get(line.id());
			boolean isAnswer = line.event().equals("call") && (line.more().contains(",CANCELLED,")
					|| line.more().contains(",IN_FLIGHT,") || line.more().contains(",RESCHEDULED,"))
					&& line.id().startsWith("strict/");
			if (isAnswer) {
				this.groups.computeIfAbsent(line.more().split(",")[2], (absent) -> new Group()).lastEnd = line.millis();
			}
			else if (message != null && message.call().queue().equals("strict")) {
				Group group = this.groups.computeIfAbsent(message.call().group(), (absent) -> new Group());
				if (line.event().equals("begin") && line.attempt() == 1) {
					late.put(line.id(),
							Math.max(0, line.millis() - Math.max(Long.parseLong(line.more()), group.lastEnd)));
				}
				else if (!line.event().equals("call")) {
					group.lastEnd = line.millis();
				}
			}
		}
		return late;
	}

}
