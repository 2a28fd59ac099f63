package io.delayqueue.process;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.delayqueue.process.fixture.Journal.Line;

/**
 * Compares the calls of the producers with the handlers' lines in the journal. Each rule
 * takes the most permissive instant between the call and the answer.
 */
final class LoadChecker {

	/** A line for a process that was killed: it writes nothing more. */
	static final String KILLED = "killed";

	/** A line for the call that ends the pause. */
	static final String RESUMED = "resumed";

	private static final int MOST_EXAMPLES = 3;

	private final List<LoadCall> calls;

	private final List<Line> lines;

	private final Map<String, StoredMessage> messages;

	private final Map<String, Long> killed;

	private final Map<String, List<String>> faults = new TreeMap<>();

	LoadChecker(List<LoadCall> calls, List<Line> lines) {
		this.calls = calls;
		this.lines = lines;
		this.messages = StoredMessage.of(calls, lines);
		this.killed = lines.stream()
			.filter((line) -> line.event().equals(KILLED))
			.collect(Collectors.toMap(Line::id, Line::millis));
	}

	Map<String, StoredMessage> messages() {
		return this.messages;
	}

	/** The number of calls by answer. */
	Map<String, Long> answers() {
		return this.calls.stream().collect(Collectors.groupingBy(LoadCall::answer, Collectors.counting()));
	}

	/**
	 * Returns what was broken, each rule with some examples.
	 * @param dead the dead letters in the end, queue and id
	 */
	List<String> faults(Set<String> dead) {
		this.calls.stream()
			.filter((call) -> !call.isDocumented())
			.forEach((call) -> fault("answer that is not documented", call));
		this.lines.stream()
			.filter((line) -> line.event().equals("begin") && !this.messages.containsKey(line.id()))
			.forEach((line) -> fault("handled, but not accepted", line));
		this.messages.values().forEach((message) -> check(message, dead));
		checkNotFound();
		checkQuota();
		checkPause();
		new StrictGroups(this.messages, this.lines).check(this::fault);
		return this.faults.entrySet()
			.stream()
			.map((fault) -> fault.getValue().size() + " " + fault.getKey() + ", for example "
					+ fault.getValue().stream().limit(MOST_EXAMPLES).toList())
			.toList();
	}

	private void check(StoredMessage message, Set<String> dead) {
		boolean isDead = dead.contains(message.call().queue() + " " + message.call().id());
		if (!message.isHandled() && !(isDead && message.diesInTheEnd()) && !message.mayBeCancelled()) {
			fault("lost or stuck", message);
		}
		if (isDead && !message.mayBeDead()) {
			fault("dead letter without failures", message);
		}
		for (Line begin : message.begins()) {
			if (begin.millis() < Math.max(begin.attempt() > 1 ? 0 : firstDue(message, begin),
					Long.parseLong(begin.more()))) {
				fault("early", message + " " + begin);
			}
			if (message.others()
				.stream()
				.anyMatch((other) -> other.answer().equals("CANCELLED") && other.answeredMillis() < begin.millis()
						&& other.calledMillis() > message.call().answeredMillis())) {
				fault("handled after a cancel", message + " " + begin);
			}
		}
		checkRepeats(message);
		checkStoredOnce(message);
	}

	/**
	 * The due time by the last of the calls that were answered before, 0 if the order of
	 * the calls is not certain.
	 */
	private static long firstDue(StoredMessage message, Line begin) {
		List<LoadCall> moves = message.others()
			.stream()
			.filter((other) -> other.hasMoved() && other.calledMillis() <= begin.millis()
					&& other.answeredMillis() >= message.call().calledMillis())
			.toList();
		LoadCall last = moves.isEmpty() ? message.call() : moves.get(moves.size() - 1);
		boolean isCertain = last.answeredMillis() < begin.millis()
				&& moves.stream().allMatch((move) -> move.calledMillis() >= message.call().answeredMillis());
		return isCertain ? last.firstDue() : 0;
	}

	/** A handler begins again only after a failure, or the death of its process. */
	private void checkRepeats(StoredMessage message) {
		for (int i = 1; i < message.begins().size(); i++) {
			Line before = message.begins().get(i - 1);
			Line again = message.begins().get(i);
			boolean failed = message.failures()
				.stream()
				.anyMatch((line) -> line.attempt() == before.attempt() && line.process().equals(before.process()));
			if (!failed && this.killed.getOrDefault(before.process(), Long.MAX_VALUE) > again.millis()) {
				fault("repeated without a cause", message + " " + before + " " + again);
			}
		}
	}

	/** No id is stored while it exists, or within the window after it was handled. */
	private void checkStoredOnce(StoredMessage message) {
		for (LoadCall again : message.others()) {
			if (!again.hasStored() || again.calledMillis() < message.call().calledMillis()) {
				continue;
			}
			boolean cancelled = message.others()
				.stream()
				.anyMatch((other) -> other.hasRemoved() && other.calledMillis() <= again.answeredMillis()
						&& other.answeredMillis() >= message.call().calledMillis());
			long forgotten = !message.isHandled() ? Long.MAX_VALUE
					: message.ends().get(0).millis() + LoadPlan.DONE_WINDOW.toMillis();
			if (!cancelled && again.answeredMillis() < forgotten) {
				fault("stored twice", message + " " + again);
			}
		}
	}

	/** No call misses a message that exists. */
	private void checkNotFound() {
		Map<String, List<StoredMessage>> byId = this.messages.values()
			.stream()
			.collect(Collectors.groupingBy((message) -> message.call().queue() + message.call().id()));
		for (LoadCall call : this.calls) {
			if (call.answer().equals("NOT_FOUND")) {
				byId.getOrDefault(call.queue() + call.id(), List.of())
					.stream()
					.filter((message) -> message.existsFrom() < call.calledMillis()
							&& message.existsUntil() > call.answeredMillis())
					.forEach((message) -> fault("not found", message + " " + call));
			}
		}
	}

	/** The number of deliveries after the death of a process. */
	long reclaimed() {
		return this.messages.values()
			.stream()
			.filter((message) -> message.begins()
				.stream()
				.anyMatch((begin) -> begin.attempt() > 1 + message.failures().size()
						|| (begin.attempt() > 1 && message.failures().isEmpty())))
			.count();
	}

	private void checkQuota() {
		int most = mostOfAGroup();
		if (most > LoadPlan.QUOTA) {
			fault("over quota", most);
		}
	}

	/** The most messages of a group that certainly waited at one time. */
	int mostOfAGroup() {
		Map<String, TreeMap<Long, Integer>> changes = new HashMap<>();
		for (StoredMessage message : this.messages.values()) {
			if (message.call().queue().equals("limited") && message.existsFrom() < message.existsUntil()) {
				TreeMap<Long, Integer> ofGroup = changes.computeIfAbsent(message.call().group(),
						(group) -> new TreeMap<>());
				ofGroup.merge(message.existsFrom(), 1, Integer::sum);
				ofGroup.merge(message.existsUntil(), -1, Integer::sum);
			}
		}
		int most = 0;
		for (TreeMap<Long, Integer> ofGroup : changes.values()) {
			int waiting = 0;
			for (int change : ofGroup.values()) {
				waiting += change;
				most = Math.max(most, waiting);
			}
		}
		return most;
	}

	private void checkPause() {
		long resumed = this.lines.stream()
			.filter((line) -> line.event().equals(RESUMED))
			.mapToLong(Line::millis)
			.findFirst()
			.orElseThrow();
		List<Line> handled = new ArrayList<>(this.lines.stream()
			.filter((line) -> line.event().equals("begin") && line.id().startsWith("paused/"))
			.toList());
		handled.stream().filter((line) -> line.millis() < resumed).forEach((line) -> fault("handled in a pause", line));
		if (handled.isEmpty()) {
			fault("nothing handled after the pause", "-");
		}
	}

	private void fault(String rule, Object example) {
		this.faults.computeIfAbsent(rule, (absent) -> new ArrayList<>()).add(example.toString());
	}

}
