package io.delayqueue.soak;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.delayqueue.MessageEnd;
import io.delayqueue.MessageEnd.How;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.soak.RecurringQueue.Call;
import io.delayqueue.soak.RecurringQueue.Definition;
import io.delayqueue.soak.RecurringQueue.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the recurring queue of a soak. Between two calls for a key it is known which
 * definition has it: each instant of that has one message, and no other instant has any.
 * During a call both are possible. No fault is an excuse. A purge, or the cancellation of
 * a group, removes only messages that are due.
 */
final class RecurringChecker {

	/**
	 * How long before a call an instant must be to have a message for certain: its
	 * partition may have no owner, or Redis be away.
	 */
	private static final long STORED_MILLIS = 10_000;

	private final List<Call> calls;

	private final List<Line> lines;

	private final List<End> ends;

	private final Map<String, List<Span>> spans = new HashMap<>();

	private final Map<String, List<Line>> begins = new LinkedHashMap<>();

	private final Set<String> handled = new HashSet<>();

	/** The messages that an operation has removed, and that were due before its end. */
	private final Set<String> removed = new HashSet<>();

	private final Map<String, List<String>> violations = new LinkedHashMap<>();

	private long required;

	private long mostMillisLate;

	/**
	 * Creates a checker.
	 * @param calls all calls, those for a key in their order
	 * @param lines the journal
	 * @param ends the whole history
	 */
	RecurringChecker(List<Call> calls, List<Line> lines, List<End> ends) {
		this.calls = calls;
		this.lines = lines;
		this.ends = ends;
	}

	/** How a message has ended. */
	record End(String id, How how) {

		static End of(MessageSnapshot finished) {
			MessageEnd end = finished.end();
			if (finished.state() != MessageState.FINISHED || end == null) {
				throw new IllegalStateException("The history lists " + finished);
			}
			return new End(finished.id(), end.how());
		}

	}

	/**
	 * The time between two calls for a key, ms.
	 *
	 * @param active the definition whose instants have occurrences, {@code null} if there
	 * is none or it is paused
	 */
	private record Span(long after, long before, @Nullable Definition active) {

		boolean has(long millis) {
			return millis > this.after && millis < this.before;
		}

	}

	/** The broken rules, and the messages that break them. */
	Map<String, List<String>> judge() {
		for (Line line : this.lines) {
			switch (line.event()) {
				case RecurringQueue.BEGIN ->
					this.begins.computeIfAbsent(line.id(), (id) -> new ArrayList<>()).add(line);
				case RecurringQueue.END -> this.handled.add(line.id());
				default -> {
				}
			}
		}
		this.ends.stream().filter(this::wasRemoved).forEach((end) -> this.removed.add(end.id()));
		Map<String, List<Call>> byKey = new LinkedHashMap<>();
		this.calls.stream()
			.filter((call) -> !call.operation().removes())
			.forEach((call) -> byKey.computeIfAbsent(call.key(), (key) -> new ArrayList<>()).add(call));
		byKey.forEach((key, own) -> this.spans.put(key, spans(own)));
		this.spans.forEach(this::required);
		this.begins.forEach(this::begun);
		ended();
		return this.violations;
	}

	private boolean wasRemoved(End end) {
		Operation operation = switch (end.how()) {
			case PURGED -> Operation.PURGE;
			case CANCELLED -> Operation.CANCEL_GROUP;
			default -> null;
		};
		long instant = end.id().contains("@") ? instantOf(end.id()) : 0;
		return this.calls.stream()
			.anyMatch((call) -> call.operation() == operation && instant <= call.answeredMillis());
	}

	private static long instantOf(String id) {
		return Instant.parse(id.substring(id.indexOf('@') + 1)).toEpochMilli();
	}

	private List<Span> spans(List<Call> own) {
		List<Span> spans = new ArrayList<>();
		Definition stored = null;
		boolean isPaused = false;
		long after = 0;
		for (Call call : own) {
			if (call.operation() == Operation.RUN) {
				check(call, stored != null || call.answer().equals("false"));
				if (stored != null && !hasEnded(call.answer())) {
					violate("not run", call.key());
				}
				continue;
			}
			spans.add(new Span(after, call.calledMillis(), isPaused ? null : stored));
			after = call.answeredMillis();
			if (call.operation() == Operation.PAUSE || call.operation() == Operation.RESUME) {
				check(call, call.answer().equals(Boolean.toString(stored != null)));
				isPaused = stored != null && call.operation() == Operation.PAUSE;
			}
			else {
				isPaused = isPaused && call.operation() == Operation.PUT;
				stored = call.definition();
			}
		}
		spans.add(new Span(after, Long.MAX_VALUE, isPaused ? null : stored));
		return spans;
	}

	private boolean hasEnded(String id) {
		return this.handled.contains(id) || this.removed.contains(id);
	}

	private void check(Call call, boolean isRight) {
		if (!isRight) {
			violate("wrong answer", call.operation() + " " + call.key() + " " + call.answer());
		}
	}

	private void required(String key, List<Span> spans) {
		for (Span span : spans) {
			Definition active = span.active();
			if (active != null && !active.isSkipping()) {
				active.between(span.after(), span.before() - STORED_MILLIS).forEach((millis) -> {
					this.required++;
					String id = RecurringQueue.id(key, millis);
					if (!hasEnded(id)) {
						violate("missing", id);
					}
				});
			}
		}
	}

	private void begun(String id, List<Line> runs) {
		if (runs.stream().filter((run) -> run.attempt() == 1).count() > 1) {
			violate("stored twice", id);
		}
		int at = id.indexOf('@');
		if (at < 0) {
			return;
		}
		long instant = instantOf(id);
		Line first = runs.get(0);
		if (first.millis() < instant) {
			violate("early", id);
		}
		this.mostMillisLate = Math.max(this.mostMillisLate, first.millis() - instant);
		this.spans.getOrDefault(id.substring(0, at), List.of())
			.stream()
			.filter((span) -> span.has(instant))
			.map(Span::active)
			.filter((active) -> active == null || !active.has(instant)
					|| !first.more().equals(Integer.toString(active.version())))
			.forEach((active) -> violate((active == null) ? "of no schedule" : "of another definition", id));
	}

	private void ended() {
		Set<String> ended = new HashSet<>();
		for (End end : this.ends) {
			if (!ended.add(end.id())) {
				violate("ended twice", end.id());
			}
			boolean isHandled = end.how() == How.ACKNOWLEDGED && this.handled.contains(end.id());
			if (!isHandled && !this.removed.contains(end.id())) {
				violate("ended without a cause", end.id() + " " + end.how());
			}
		}
		this.begins.keySet()
			.stream()
			.filter((id) -> !ended.contains(id))
			.forEach((id) -> violate("without an end", id));
	}

	/** What was reached, in one line. */
	String figures() {
		long runs = this.begins.values().stream().mapToInt(List::size).sum();
		return "recurring queue: %d calls for %d keys, %d instants that need a message, %d messages, %d runs, at most %d ms late, %d in the history"
			.formatted(this.calls.size(), this.spans.size(), this.required, this.begins.size(), runs,
					this.mostMillisLate, this.ends.size());
	}

	private void violate(String rule, String what) {
		this.violations.computeIfAbsent("of the recurring queue: " + rule, (absent) -> new ArrayList<>()).add(what);
	}

}
