package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Checker.Left;

/**
 * Holds each answer, and each delivery, against {@link PossibleStates}, id by id.
 *
 * <ol>
 * <li>What happened to an id is put in order: when calls began and had their answers, by
 * the clock of the host, and when Redis told a consumer the message, by the clock of
 * Redis, which runs on the same host.</li>
 * <li>An answer, a delivery or an end that no possible state explains is a violation; the
 * rest of that id is not looked at.</li>
 * <li>What the journal says of handlers has whole milliseconds, and counts from when it
 * permits most: a success from the beginning of its millisecond, a settlement from the
 * end.</li>
 * <li>A delivery that is younger than a visibility timeout is in flight. So a message
 * that is cancelled or rescheduled meanwhile, but was not in flight by that answer, must
 * not begin by such a delivery either.</li>
 * </ol>
 */
final class AnswerChecker {

	/** Redis has told a consumer a message: entry, when in us, due time, payload. */
	static final String TOLD = "told";

	/** Keys were deleted, so that what was in flight may not be any more. */
	static final String DAMAGED = "damaged";

	private static final long MICROS = 1000;

	private final Map<String, List<Call>> calls;

	private final Map<String, List<Event>> events = new TreeMap<>();

	private final Map<Integer, String> ids;

	private final Left left;

	/** By process and payload. */
	private final Map<String, Told> last = new HashMap<>();

	private final Map<String, Told> byEntry = new HashMap<>();

	private final boolean isDamaged;

	private final Map<String, List<String>> violations = new LinkedHashMap<>();

	AnswerChecker(List<Call> calls, List<Line> lines, Left left) {
		this.calls = calls.stream().collect(Collectors.groupingBy(Call::id));
		this.ids = calls.stream().collect(Collectors.toMap(Call::number, Call::id));
		this.left = left;
		this.isDamaged = lines.stream().anyMatch((line) -> line.event().equals(DAMAGED));
		for (Call call : calls) {
			add(call.id(), call.callMicros(), Kind.CALL, call);
			add(call.id(), call.answerMicros(), Kind.ANSWER, call);
		}
		lines.forEach(this::add);
	}

	/** What happens at one instant happens in this order, which permits most. */
	private enum Kind {

		SUCCESS, FAILURE, CALL, TOLD, FINISHED, ANSWER

	}

	/** Something that happened to an id. */
	private record Event(long micros, Kind kind, Object detail) {
	}

	/**
	 * A delivery.
	 *
	 * @param entry the entry
	 * @param micros when Redis said what it delivers
	 * @param dueMillis the due time that the message had then
	 * @param payload the payload that it had then
	 */
	private record Told(String entry, long micros, long dueMillis, String payload) {

		static Told parse(String text) {
			String[] fields = text.split(",");
			return new Told(fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3]);
		}

		int version() {
			return Call.numberIn(this.payload);
		}

	}

	/** The rules that were broken, and how. */
	Map<String, List<String>> violations() {
		this.events.forEach((id, ofId) -> {
			ofId.sort(Comparator.comparingLong(Event::micros).thenComparing(Event::kind));
			judge(id, ofId);
		});
		return this.violations;
	}

	private void add(Line line) {
		switch (line.event()) {
			case TOLD -> {
				Told told = Told.parse(line.more());
				add(line.id(), told.micros(), Kind.TOLD, told);
				this.last.put(line.process() + " " + told.payload(), told);
				this.byEntry.put(line.id() + " " + told.entry(), told);
			}
			case "begin" -> begin(line);
			case "success" -> add(line.id(), line.millis() * MICROS, Kind.SUCCESS, Call.numberIn(line.more()));
			case "failure", "hang" -> {
				if (Message.isPoison(line.more().charAt(0))) {
					add(line.id(), line.millis() * MICROS, Kind.FAILURE, Call.numberIn(line.more()));
				}
			}
			case "acknowledged" -> {
				Told told = this.byEntry.get(line.id() + " " + line.more());
				if (told != null) {
					add(line.id(), line.millis() * MICROS + MICROS - 1, Kind.FINISHED, told.version());
				}
			}
			default -> {
			}
		}
	}

	private void add(String id, long micros, Kind kind, Object detail) {
		this.events.computeIfAbsent(id, (absent) -> new ArrayList<>()).add(new Event(micros, kind, detail));
	}

	/**
	 * A handler begins: by no delivery that was not in flight when a call took effect.
	 */
	private void begin(Line line) {
		String payload = Begin.of(line).payload();
		Told told = this.last.get(line.process() + " " + payload);
		if (told == null) {
			violate("begun though not delivered", line.id(), payload);
			return;
		}
		List<Call> ofThis = this.calls.getOrDefault(line.id(), List.of());
		for (Call call : ofThis) {
			if (call.answerMicros() < line.millis() * MICROS && wasNotInFlight(told, call)
					&& isAboutTheSame(told, call, ofThis)) {
				violate("begun by a delivery that was not in flight", line.id(), call);
			}
		}
	}

	private boolean wasNotInFlight(Told told, Call call) {
		boolean isYoung = told.micros() < call.answerMicros()
				&& call.answerMicros() - told.micros() < SoakPlan.VISIBILITY_TIMEOUT.toNanos() / MICROS;
		if (this.isDamaged || !isYoung) {
			return false;
		}
		// Once it is rescheduled it may be delivered before the answer is there
		return call.answer() == Answer.CANCELLED || (call.answer() == Answer.RESCHEDULED
				&& (told.dueMillis() < call.firstDue() || told.dueMillis() > call.lastDue()));
	}

	/** Whether no call in between may have put another message in its place. */
	private static boolean isAboutTheSame(Told told, Call call, List<Call> ofThis) {
		return ofThis.stream()
			.filter((other) -> other.callMicros() < call.callMicros() && other.operation() != Call.Operation.FIND)
			.noneMatch((other) -> other.answer() == Answer.UNKNOWN || (other.number() != told.version()
					&& other.answer() != Answer.NOT_ACCEPTED && other.answerMicros() > told.micros()));
	}

	private void judge(String id, List<Event> ofId) {
		List<Call> ofThis = this.calls.getOrDefault(id, List.of());
		PossibleStates states = new PossibleStates(
				ofThis.stream().anyMatch((call) -> call.operation() == Call.Operation.SCHEDULE));
		for (Event event : ofId) {
			String broken = "";
			switch (event.kind()) {
				case SUCCESS -> states.succeeded((int) event.detail());
				case FAILURE -> states.failed((int) event.detail());
				case CALL -> states.called((Call) event.detail());
				case TOLD -> broken = judge(id, (Told) event.detail(), states);
				case FINISHED -> broken = states.finished((int) event.detail(), event.micros() / MICROS) ? ""
						: "finished though it was still to be handled";
				case ANSWER -> {
					Call call = (Call) event.detail();
					broken = states.answered(call) ? ""
							: call.operation() + " cannot have been answered " + call.answer();
				}
			}
			if (!broken.isEmpty()) {
				violate(broken, id, event.detail());
				return;
			}
		}
		boolean dead = this.left.dead().contains(id);
		if (!dead && this.left.records().contains(id)) {
			violate("still there in the end", id, "");
		}
		else if (!states.mayEnd(dead)) {
			violate(dead ? "a dead letter in the end" : "gone without an end", id, "");
		}
	}

	private String judge(String id, Told told, PossibleStates states) {
		if (!id.equals(this.ids.get(told.version()))) {
			return "delivered though not accepted";
		}
		if (told.dueMillis() * MICROS > told.micros()) {
			return "delivered before its due time";
		}
		if (!states.mayBeLive(told.version(), told.micros() / MICROS)) {
			return "delivered though it was cancelled, replaced or finished";
		}
		return states.mayBeDue(told.dueMillis()) ? "" : "delivered by a due time that it does not have";
	}

	/** With all that was called, as there is no journal of Redis to look at. */
	private void violate(String rule, String id, Object detail) {
		this.violations.computeIfAbsent(rule, (absent) -> new ArrayList<>())
			.add(id + " (" + detail + ") of " + this.calls.getOrDefault(id, List.of()));
	}

}
