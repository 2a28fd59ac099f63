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
 * Checks each answer and each delivery against {@link PossibleStates}, id by id.
 * <ol>
 * <li>The events of an id are put in order: begins and answers of calls by the clock of
 * the host, deliveries by the clock of Redis, which runs on the same host.</li>
 * <li>An answer, a delivery or an end that no possible state explains is a violation; the
 * rest of that id is skipped.</li>
 * <li>Handler events in the journal have whole milliseconds and count from the most
 * permissive instant: a success from the beginning of its millisecond, a settlement from
 * the end.</li>
 * <li>A delivery that is younger than a visibility timeout is in flight. If an answer
 * meanwhile cancels or reschedules the message as not in flight, this delivery must not
 * start a handler either.</li>
 * </ol>
 */
final class AnswerChecker {

	/** Redis has delivered a message: entry, time in us, due time, payload, partition. */
	static final String DELIVERED = "delivery";

	/** Keys were deleted, so that a message in flight may no longer be. */
	static final String DAMAGED = "damaged";

	/** A change of the partition count is about to begin. */
	static final String REPARTITION = "repartition";

	private static final long MICROS = 1000;

	private final Map<String, List<Call>> calls;

	private final Map<String, List<Event>> events = new TreeMap<>();

	private final Map<Integer, String> ids;

	private final Left left;

	/** By process and payload. */
	private final Map<String, Delivery> last = new HashMap<>();

	private final Map<String, Delivery> byEntry = new HashMap<>();

	private final boolean isDamaged;

	/** The begin of the first change of the partition count, us. */
	private final long changedMicros;

	private final Map<String, List<String>> violations = new LinkedHashMap<>();

	AnswerChecker(List<Call> calls, List<Line> lines, Left left) {
		this.calls = calls.stream().collect(Collectors.groupingBy(Call::id));
		this.ids = calls.stream().collect(Collectors.toMap(Call::number, Call::id));
		this.left = left;
		this.isDamaged = lines.stream().anyMatch((line) -> line.event().equals(DAMAGED));
		this.changedMicros = lines.stream()
			.filter((line) -> line.event().equals(REPARTITION))
			.mapToLong((line) -> line.millis() * MICROS)
			.min()
			.orElse(Long.MAX_VALUE);
		for (Call call : calls) {
			add(call.id(), call.callMicros(), Kind.CALL, call);
			add(call.id(), call.answerMicros(), Kind.ANSWER, call);
		}
		lines.forEach(this::add);
	}

	/** Events at one instant happen in this order, which is the most permissive. */
	private enum Kind {

		SUCCESS, FAILURE, CALL, DELIVERED, FINISHED, ANSWER

	}

	/** An event of an id. */
	private record Event(long micros, Kind kind, Object detail) {
	}

	/**
	 * A delivery.
	 *
	 * @param entry the entry
	 * @param micros the time of the delivery, by Redis
	 * @param dueMillis the due time of the message at that time
	 * @param payload the payload of the message at that time
	 */
	private record Delivery(String entry, long micros, long dueMillis, String payload) {

		static Delivery parse(String text) {
			String[] fields = text.split(",");
			return new Delivery(fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]), fields[3]);
		}

		int version() {
			return Call.numberIn(this.payload);
		}

	}

	/** The broken rules, and their messages. */
	Map<String, List<String>> violations() {
		this.events.forEach((id, ofId) -> {
			ofId.sort(Comparator.comparingLong(Event::micros).thenComparing(Event::kind));
			judge(id, ofId);
		});
		return this.violations;
	}

	private void add(Line line) {
		switch (line.event()) {
			case DELIVERED -> {
				Delivery delivery = Delivery.parse(line.more());
				add(line.id(), delivery.micros(), Kind.DELIVERED, delivery);
				this.last.put(line.process() + " " + delivery.payload(), delivery);
				this.byEntry.put(line.id() + " " + delivery.entry(), delivery);
			}
			case "begin" -> begin(line);
			case "success" -> add(line.id(), line.millis() * MICROS, Kind.SUCCESS, Call.numberIn(line.more()));
			case "failure", "hang" -> {
				if (Message.isPoison(line.more().charAt(0))) {
					add(line.id(), line.millis() * MICROS, Kind.FAILURE, Call.numberIn(line.more()));
				}
			}
			case "acknowledged" -> {
				Delivery delivery = this.byEntry.get(line.id() + " " + line.more());
				if (delivery != null) {
					add(line.id(), line.millis() * MICROS + MICROS - 1, Kind.FINISHED, delivery.version());
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
	 * Checks that a handler was not started by a delivery that was not in flight when a
	 * call took effect.
	 */
	private void begin(Line line) {
		String payload = Begin.of(line).payload();
		Delivery delivery = this.last.get(line.process() + " " + payload);
		if (delivery == null) {
			violate("started without a delivery", line.id(), payload);
			return;
		}
		List<Call> ofThis = this.calls.getOrDefault(line.id(), List.of());
		for (Call call : ofThis) {
			if (call.answerMicros() < line.millis() * MICROS && wasNotInFlight(delivery, call)
					&& isAboutTheSameMessage(delivery, call, ofThis)) {
				violate("started by a delivery that was not in flight", line.id(), call);
			}
		}
	}

	private boolean wasNotInFlight(Delivery delivery, Call call) {
		boolean isYoung = delivery.micros() < call.answerMicros()
				&& call.answerMicros() - delivery.micros() < SoakPlan.VISIBILITY_TIMEOUT.toNanos() / MICROS;
		if (this.isDamaged || !isYoung) {
			return false;
		}
		// A rescheduled message may be delivered before the answer arrives
		return call.answer() == Answer.CANCELLED || (call.answer() == Answer.RESCHEDULED
				&& (delivery.dueMillis() < call.firstDue() || delivery.dueMillis() > call.lastDue()));
	}

	/** Whether no call in between may have stored another message. */
	private static boolean isAboutTheSameMessage(Delivery delivery, Call call, List<Call> ofThis) {
		return ofThis.stream()
			.filter((other) -> other.callMicros() < call.callMicros() && other.operation() != Call.Operation.FIND)
			.noneMatch((other) -> other.answer() == Answer.UNKNOWN || (other.number() != delivery.version()
					&& other.answer() != Answer.NOT_ACCEPTED && other.answerMicros() > delivery.micros()));
	}

	private void judge(String id, List<Event> ofId) {
		List<Call> ofThis = this.calls.getOrDefault(id, List.of());
		PossibleStates states = new PossibleStates(
				ofThis.stream().anyMatch((call) -> call.operation() == Call.Operation.SCHEDULE));
		for (Event event : ofId) {
			String broken = "";
			if (event.micros() >= this.changedMicros) {
				states.changed();
			}
			switch (event.kind()) {
				case SUCCESS -> states.succeeded((int) event.detail());
				case FAILURE -> states.failed((int) event.detail());
				case CALL -> states.called((Call) event.detail());
				case DELIVERED -> broken = judge(id, (Delivery) event.detail(), states);
				case FINISHED -> broken = states.finished((int) event.detail(), event.micros() / MICROS) ? ""
						: "finished before it was handled";
				case ANSWER -> {
					Call call = (Call) event.detail();
					broken = states.answered(call) ? "" : call.operation() + " must not return " + call.answer();
				}
			}
			if (!broken.isEmpty()) {
				violate(broken, id, event.detail());
				return;
			}
		}
		boolean dead = this.left.dead().contains(id);
		if (!dead && this.left.records().contains(id)) {
			violate("left over at the end", id, "");
		}
		else if (!states.mayEnd(dead)) {
			violate(dead ? "a dead letter at the end" : "removed without an outcome", id, "");
		}
	}

	private String judge(String id, Delivery delivery, PossibleStates states) {
		if (!id.equals(this.ids.get(delivery.version()))) {
			return "delivered although not accepted";
		}
		if (delivery.dueMillis() * MICROS > delivery.micros()) {
			return "delivered before its due time";
		}
		if (!states.mayBeLive(delivery.version(), delivery.micros() / MICROS)) {
			return "delivered although it was cancelled, replaced or finished";
		}
		return states.mayBeDue(delivery.dueMillis()) ? "" : "delivered by a wrong due time";
	}

	/** Reports all calls too, as there is no journal of Redis. */
	private void violate(String rule, String id, Object detail) {
		this.violations.computeIfAbsent(rule, (absent) -> new ArrayList<>())
			.add(id + " (" + detail + ") of " + this.calls.getOrDefault(id, List.of()));
	}

}
