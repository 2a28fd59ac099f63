package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.delayqueue.process.fixture.Journal.Line;

/**
 * Evaluates the kills of full workers from the journal: all that a killed worker held
 * begins again soon, not one message after the other, and what it did not hold is hardly
 * late.
 */
final class LongChecker {

	/**
	 * Within this time, all that a killed worker held begins again: a visibility timeout,
	 * the time until another process owns the partitions, and that until it knows that no
	 * living process is silent.
	 */
	static final long AGAIN_MILLIS = SoakPlan.VISIBILITY_TIMEOUT.toMillis() + 12_000;

	/** The longest delay of a message that no killed worker held. */
	private static final long LATE_MILLIS = 3000;

	/** More than the processes in which they may begin again, each alone. */
	private static final int MANY = 6;

	private final Map<String, Set<String>> running = new HashMap<>();

	/** The messages of killed workers that have not begun again, and when. */
	private final Map<String, Long> held = new LinkedHashMap<>();

	private final Set<String> stored = new LinkedHashSet<>();

	/** The messages that fill the workers: some wait for others of them. */
	private final Set<String> filling = new HashSet<>();

	private final Set<String> ended = new HashSet<>();

	private final Map<String, List<String>> violations = new LinkedHashMap<>();

	/** The most messages of killed workers that ran again at once in one process. */
	private int mostAgain;

	/** The most messages that a killed worker held. */
	private int mostHeld;

	private final Map<String, Set<String>> again = new HashMap<>();

	private int kills;

	private int heldInAll;

	private long mostMillisAgain;

	private long mostMillisLate;

	LongChecker(List<Line> lines) {
		lines.forEach(this::read);
		this.held.keySet().forEach((id) -> violate("held by a killed worker, and did not begin again", id));
		if (this.mostHeld >= MANY && this.mostAgain == 1) {
			violate("held by a killed worker, and begun again one after the other", Integer.toString(this.mostHeld));
		}
		this.stored.stream().filter((id) -> !this.ended.contains(id)).forEach((id) -> violate("lost or stuck", id));
	}

	/** The broken rules, and the messages that break them. */
	Map<String, List<String>> violations() {
		return this.violations;
	}

	/** What was reached, in one line. */
	String figures() {
		return "full workers: %d killed, which held %d messages, all begun again within %d ms, at most %d at once in a process; others at most %d ms late"
			.formatted(this.kills, this.heldInAll, this.mostMillisAgain, this.mostAgain, this.mostMillisLate);
	}

	private void read(Line line) {
		Set<String> own = this.running.computeIfAbsent(line.process(), (process) -> new HashSet<>());
		switch (line.event()) {
			case LongQueue.STORED -> {
				this.stored.add(line.id());
				if (line.more().equals(LongQueue.FILLS)) {
					this.filling.add(line.id());
				}
			}
			case LongQueue.BEGIN -> {
				own.add(line.id());
				begun(line);
			}
			case LongQueue.END -> {
				own.remove(line.id());
				this.again.computeIfAbsent(line.process(), (process) -> new HashSet<>()).remove(line.id());
				this.ended.add(line.id());
			}
			case LongQueue.KILLED -> {
				this.kills++;
				this.again.remove(line.id());
				List<String> ofLongQueue = Objects.requireNonNullElse(this.running.remove(line.id()), Set.<String>of())
					.stream()
					.filter((id) -> id.startsWith(LongQueue.NAME))
					.toList();
				ofLongQueue.forEach((id) -> this.held.put(id, line.millis()));
				this.mostHeld = Math.max(this.mostHeld, ofLongQueue.size());
				this.heldInAll += ofLongQueue.size();
			}
			default -> {
			}
		}
	}

	private void begun(Line line) {
		Long killed = this.held.remove(line.id());
		if (killed != null) {
			Set<String> together = this.again.computeIfAbsent(line.process(), (process) -> new HashSet<>());
			together.add(line.id());
			this.mostAgain = Math.max(this.mostAgain, together.size());
			long again = line.millis() - killed;
			this.mostMillisAgain = Math.max(this.mostMillisAgain, again);
			if (again > AGAIN_MILLIS) {
				violate("held by a killed worker, and began again late", line.id() + " after " + again + " ms");
			}
		}
		else if (line.attempt() == 1 && line.id().startsWith(LongQueue.NAME) && !this.filling.contains(line.id())) {
			long late = line.millis() - Long.parseLong(line.more());
			this.mostMillisLate = Math.max(this.mostMillisLate, late);
			if (late > LATE_MILLIS) {
				violate("late, although no killed worker held it", line.id() + " by " + late + " ms");
			}
		}
	}

	private void violate(String rule, String what) {
		this.violations.computeIfAbsent("of the long queue: " + rule, (absent) -> new ArrayList<>()).add(what);
	}

}
