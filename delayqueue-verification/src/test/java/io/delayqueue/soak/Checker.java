package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.soak.Message.Outcome;

/**
 * Evaluates a soak from the journal of producer and workers, and from the final content
 * of Redis.
 *
 * <p>
 * The permitted number of repeated runs of a message is counted from the journal. For
 * each process that was killed or frozen, it counts the messages that had been delivered
 * to it, started or about to start, and whose end Redis had not confirmed. For each
 * outage of Redis, the checker counts these messages of all processes, and the messages
 * that start during the outage, because no lease can be renewed and no message settled.
 */
final class Checker {

	/** Events after which a delivery is no longer in flight. */
	static final Set<String> ENDS = Set.of("acknowledged", "settled", "late");

	/** Marks the end of an outage. */
	static final String OVER = "over";

	/** The subject of an outage. */
	static final String REDIS = "redis";

	private final Map<String, Message> messages;

	private final AnswerChecker answers;

	private final List<Line> lines;

	private final Left left;

	private final Map<String, List<Line>> begins = new HashMap<>();

	private final Map<String, Integer> failures = new HashMap<>();

	private final Map<String, Integer> successes = new HashMap<>();

	private final Set<String> returned = new HashSet<>();

	private final Set<String> cancelledRuns = new HashSet<>();

	private final Map<String, String> acknowledged = new HashMap<>();

	private final Map<String, String> newest = new HashMap<>();

	private final Map<String, Integer> interrupted = new HashMap<>();

	private final Map<String, Integer> delayed = new HashMap<>();

	/** The process that holds a message, and the entry. */
	private final Map<String, Line> holders = new HashMap<>();

	/** The end of the last freeze of a process, or outage of Redis, ms. */
	private final Map<String, Long> frozenUntil = new HashMap<>();

	private final List<String> reclaimed = new ArrayList<>();

	private final Map<String, List<String>> violations = new LinkedHashMap<>();

	Checker(List<Call> calls, List<Line> lines, Left left) {
		this.messages = Message.of(calls);
		this.answers = new AnswerChecker(calls, lines, left);
		this.lines = lines;
		this.left = left;
	}

	/**
	 * The final content of Redis.
	 *
	 * @param records the ids that have a record
	 * @param dead the ids among the dead letters
	 * @param timedOut the dead letters whose handler exceeded its time
	 * @param unsettled ids in other locations, and pending entries
	 * @param unexplained keys with content that nothing explains
	 * @param drainMillis the time until nothing was left, or until the wait was given up
	 */
	record Left(Set<String> records, Set<String> dead, Set<String> timedOut, List<String> unsettled,
			List<String> unexplained, long drainMillis) {
	}

	SoakResult judge() {
		read();
		int duplicates = 0;
		int mostRuns = 0;
		long mostMillisLate = 0;
		long mostMillisLateUnheld = 0;
		Set<String> held = new HashSet<>(this.reclaimed);
		held.addAll(this.interrupted.keySet());
		for (Map.Entry<String, Message> entry : this.messages.entrySet()) {
			String id = entry.getKey();
			Message message = entry.getValue();
			List<Line> runs = this.begins.getOrDefault(id, List.of());
			mostRuns = Math.max(mostRuns, runs.size());
			duplicates += judgeRuns(id, message, runs);
			boolean succeeded = this.successes.containsKey(id);
			boolean dead = this.left.dead().contains(id);
			if (message.outcome() == Outcome.ACCEPTED && !succeeded && !dead) {
				violate(this.left.records().contains(id) ? "stuck"
						: this.returned.contains(id) ? "ended by a handler that exceeded its time" : "lost", id);
			}
			if (message.outcome() == Outcome.NOT_ACCEPTED && !runs.isEmpty()) {
				violate("fired although not accepted", id);
			}
			if (runs.stream()
				.anyMatch((run) -> run.millis() < Math.max(message.dueMillis(), Begin.of(run).dueMillis()))) {
				violate("early", id);
			}
			if (message.isPoison() && message.outcome() == Outcome.ACCEPTED && !dead) {
				violate("poison message that is no dead letter", id);
			}
			if (message.kind() == 'h' && dead && !this.left.timedOut().contains(id)) {
				violate("dead letter with another reason than a hanging handler", id);
			}
			if (this.cancelledRuns.contains(id) && !message.cancelled() && !held.contains(id) && excuses(id) == 0) {
				violate("run cancelled by a postponement or a replacement", id);
			}
			mostMillisLate = Math.max(mostMillisLate, millisLate(message, runs));
			if (!held.contains(id)) {
				mostMillisLateUnheld = Math.max(mostMillisLateUnheld, millisLate(message, runs));
			}
			String entryOfTheAcknowledged = this.acknowledged.get(id);
			if (entryOfTheAcknowledged != null && message.versions() == 1
					&& compare(entryOfTheAcknowledged, this.newest.getOrDefault(id, "0-0")) < 0) {
				violate("acknowledged by an old delivery", id);
			}
		}
		this.left.dead()
			.stream()
			.filter((id) -> !this.messages.containsKey(id) || !this.messages.get(id).isPoison())
			.forEach((id) -> violate("dead letter without a failure", id));
		this.left.unsettled().forEach((id) -> violate("not drained", id));
		this.left.unexplained().forEach((key) -> violate("keys left behind", key));
		return new SoakResult(this.messages.size(), count(Outcome.ACCEPTED), count(Outcome.NOT_ACCEPTED),
				count(Outcome.UNKNOWN), this.begins.values().stream().mapToInt(List::size).sum(), duplicates,
				sum(this.interrupted), sum(this.delayed), this.reclaimed.size(), mostRuns, mostMillisLate,
				mostMillisLateUnheld, this.left.dead().size(), this.left.drainMillis(), this.violations,
				this.answers.violations());
	}

	private int judgeRuns(String id, Message message, List<Line> runs) {
		if (runs.size() > message.versions() * (SoakPlan.MAX_ATTEMPTS + SoakPlan.MAX_CRASHES + 1)) {
			violate("too many runs", id);
		}
		int planned = this.failures.getOrDefault(id, 0) + (message.isPoison() ? 0 : message.versions());
		int duplicates = Math.max(0, runs.size() - planned);
		if (duplicates > excuses(id)) {
			violate("repeated without a fault", id);
		}
		return duplicates;
	}

	/**
	 * The number of faults that may have cost it a run; refused commands do not count.
	 */
	private int excuses(String id) {
		return this.interrupted.getOrDefault(id, 0) + this.delayed.getOrDefault(id, 0);
	}

	/** The lateness of the first run. */
	private static long millisLate(Message message, List<Line> runs) {
		return (runs.isEmpty() || message.dueMillis() == 0) ? 0
				: Math.max(0, runs.get(0).millis() - message.dueMillis());
	}

	/** Reads the journal in its order. */
	private void read() {
		Map<String, Set<String>> inFlight = new HashMap<>();
		boolean outage = false;
		for (Line line : this.lines) {
			Set<String> own = inFlight.computeIfAbsent(line.process(), (process) -> new HashSet<>());
			switch (line.event()) {
				case "begin" -> {
					own.add(line.id());
					if (outage) {
						this.delayed.merge(line.id(), 1, Integer::sum);
					}
					this.begins.computeIfAbsent(line.id(), (id) -> new ArrayList<>()).add(line);
				}
				// A hanging handler counts as failed, whatever it returns
				case "failure", "hang" -> this.failures.merge(line.id(), 1, Integer::sum);
				case "return" -> this.returned.add(line.id());
				case "cancelled" -> this.cancelledRuns.add(line.id());
				case "success" -> this.successes.merge(line.id(), 1, Integer::sum);
				case "acknowledged" -> this.acknowledged.put(line.id(), line.more());
				case "current" -> {
					this.holders.put(line.id(), line);
					own.add(line.id());
					this.newest.merge(line.id(), line.more(), (one, other) -> (compare(one, other) < 0) ? other : one);
				}
				case "stopped" -> {
					this.frozenUntil.put(line.id(), line.millis());
					inFlight.getOrDefault(line.id(), Set.of())
						.forEach((id) -> this.interrupted.merge(id, 1, Integer::sum));
				}
				case "resumed" -> this.frozenUntil.put(line.id(), line.millis());
				case "reclaimed" -> {
					this.reclaimed.add(line.id());
					Line held = this.holders.get(line.id());
					boolean holds = held != null && !outage
							&& inFlight.getOrDefault(held.process(), Set.of()).contains(line.id());
					// The message may have been redelivered before this line was written
					if (holds && sweptAt(held) <= Long.parseLong(line.more()) - SoakPlan.VISIBILITY_TIMEOUT.toMillis()
							&& lastFrozen(held) < sweptAt(held)) {
						violate("reclaimed from a living process", line.id());
					}
				}
				case Deployment.OVERTAKEN ->
					violate("declaration of the newest version that is not in force", line.id() + " " + line.more());
				case "standstill" -> violate("delayed by refused settlements of other messages", line.id());
				case "outage" -> {
					outage = !line.more().equals(OVER);
					this.frozenUntil.put(line.id(), line.millis());
					if (outage) {
						inFlight.values()
							.forEach((ids) -> ids.forEach((id) -> this.delayed.merge(id, 1, Integer::sum)));
					}
				}
				default -> {
				}
			}
			if (line.event().equals("stopped") && line.more().equals("killed")) {
				inFlight.remove(line.id());
			}
			if (ENDS.contains(line.event())) {
				own.remove(line.id());
			}
		}
	}

	/** The last freeze of the process of a delivery, or outage of Redis, ms. */
	private long lastFrozen(Line delivery) {
		return Math.max(this.frozenUntil.getOrDefault(delivery.process(), 0L),
				this.frozenUntil.getOrDefault(REDIS, 0L));
	}

	/**
	 * The upper bound of the delivery time, though it may be recorded much later, ms.
	 */
	private static long sweptAt(Line delivery) {
		return Long.parseLong(delivery.more().split("-")[0]);
	}

	/**
	 * Compares entry ids, which are two numbers; the later entry has the greater one.
	 */
	private static int compare(String one, String other) {
		String[] parts = one.split("-");
		String[] otherParts = other.split("-");
		int byTime = Long.compare(Long.parseLong(parts[0]), Long.parseLong(otherParts[0]));
		return (byTime != 0) ? byTime : Long.compare(Long.parseLong(parts[1]), Long.parseLong(otherParts[1]));
	}

	private long count(Outcome outcome) {
		return this.messages.values().stream().filter((message) -> message.outcome() == outcome).count();
	}

	private static int sum(Map<String, Integer> counts) {
		return counts.values().stream().mapToInt(Integer::intValue).sum();
	}

	private void violate(String rule, String id) {
		List<String> ids = this.violations.computeIfAbsent(rule, (absent) -> new ArrayList<>());
		ids.add(id);
	}

}
