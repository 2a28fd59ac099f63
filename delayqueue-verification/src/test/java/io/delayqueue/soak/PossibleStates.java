package io.delayqueue.soak;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Call.Operation;
import io.delayqueue.soak.IdState.Location;

/**
 * The sequential specification of one id, and the possible states of its message
 * according to the events so far. A call takes effect at one instant between call and
 * answer, or, with an unknown outcome, at any time after the call or never. Consumers end
 * a message at any time after a handler has succeeded, and dead-letter it after the
 * handler of a poison message has failed.
 *
 * <p>
 * A message that is stored after a change of the partition count may be in a newer
 * partition than one of its id that was handled before. Until the window of the handled
 * message has ended, {@code keep} and {@code fail} may answer {@code DONE} from the older
 * partition.
 */
final class PossibleStates {

	private final boolean isGenerated;

	/** The calls whose message a handler has handled with success. */
	private final Set<Integer> succeeded = new HashSet<>();

	/** The calls whose poison message has failed. */
	private final Set<Integer> failed = new HashSet<>();

	/** Whether a change of the partition count has begun. */
	private boolean changed;

	private Set<Possibility> possibilities = Set.of(new Possibility(IdState.NEW, Set.of()));

	PossibleStates(boolean isGenerated) {
		this.isGenerated = isGenerated;
	}

	/**
	 * A possible state.
	 *
	 * @param state the state
	 * @param open the calls that have not taken effect
	 */
	private record Possibility(IdState state, Set<Call> open) {

		boolean isLive(int version) {
			return this.state.isLive(version);
		}

	}

	/** A possible answer of a call, and the state after it. */
	private record Effect(Answer answer, IdState state) {
	}

	/** A handler succeeds with a message. */
	void succeeded(int version) {
		this.succeeded.add(version);
	}

	/** The handler of a poison message fails. */
	void failed(int version) {
		this.failed.add(version);
	}

	/** A change of the partition count begins; it may take effect later. */
	void changed() {
		this.changed = true;
	}

	/** A call begins. */
	void called(Call call) {
		if (hasNoEffect(call)) {
			return;
		}
		Set<Possibility> next = new HashSet<>();
		for (Possibility possibility : this.possibilities) {
			Set<Call> open = new HashSet<>(possibility.open());
			open.add(call);
			next.add(new Possibility(possibility.state(), Set.copyOf(open)));
		}
		this.possibilities = next;
	}

	private static boolean hasNoEffect(Call call) {
		return call.answer() == Answer.NOT_ACCEPTED
				|| (call.operation() == Operation.FIND && call.answer() == Answer.UNKNOWN);
	}

	/** A call receives its answer; returns whether the answer is possible. */
	boolean answered(Call call) {
		if (call.answer() == Answer.UNKNOWN) {
			return true;
		}
		advance(call.answerMicros() / 1000);
		return keep((possibility) -> !possibility.open().contains(call));
	}

	/**
	 * Whether a message can be delivered now.
	 * @param version the call that has stored it
	 */
	boolean mayBeLive(int version, long nowMillis) {
		advance(nowMillis);
		return keep((possibility) -> possibility.isLive(version));
	}

	/** Whether the message that is delivered now can have this due time. */
	boolean mayBeDue(long dueMillis) {
		if (!keep((possibility) -> possibility.state().mayBeDue(dueMillis))) {
			return false;
		}
		Set<Possibility> next = new HashSet<>();
		this.possibilities
			.forEach((one) -> next.add(new Possibility(one.state().due(dueMillis, dueMillis), one.open())));
		this.possibilities = next;
		return true;
	}

	/**
	 * Redis has finished a message after a consumer handled it; returns whether that is
	 * possible.
	 */
	boolean finished(int version, long nowMillis) {
		advance(nowMillis);
		return keep((possibility) -> !possibility.isLive(version));
	}

	/** Whether the id can end as a dead letter, or without a message. */
	boolean mayEnd(boolean dead) {
		advance(Long.MAX_VALUE);
		return keep((possibility) -> possibility.state().location() == (dead ? Location.DEAD : Location.ABSENT));
	}

	private boolean keep(Predicate<Possibility> holds) {
		Set<Possibility> kept = new HashSet<>();
		this.possibilities.stream().filter(holds).forEach(kept::add);
		this.possibilities = kept;
		return !kept.isEmpty();
	}

	/** Adds all states that may have been reached until now. */
	private void advance(long nowMillis) {
		Set<Possibility> known = new HashSet<>(this.possibilities);
		Deque<Possibility> fresh = new ArrayDeque<>(known);
		while (!fresh.isEmpty()) {
			for (Possibility next : after(fresh.remove(), nowMillis)) {
				if (known.add(next)) {
					fresh.add(next);
				}
			}
		}
		this.possibilities = known;
	}

	private Set<Possibility> after(Possibility possibility, long nowMillis) {
		Set<Possibility> next = new HashSet<>();
		IdState state = possibility.state();
		if (state.location() == Location.LIVE && this.succeeded.contains(state.version())) {
			next.add(new Possibility(state.absent(true), possibility.open()));
		}
		if (state.location() == Location.LIVE && this.failed.contains(state.version())) {
			next.add(new Possibility(state.dead(), possibility.open()));
		}
		for (Call call : possibility.open()) {
			Set<Call> remaining = new HashSet<>(possibility.open());
			remaining.remove(call);
			for (Effect effect : effects(call, state, nowMillis)) {
				if (call.answer() == effect.answer() || call.answer() == Answer.UNKNOWN) {
					next.add(new Possibility(effect.state(), Set.copyOf(remaining)));
				}
			}
		}
		return next;
	}

	private List<Effect> effects(Call call, IdState state, long nowMillis) {
		return switch (state.location()) {
			case ABSENT -> ofAbsent(call, state);
			case LIVE -> ofLive(call, state, nowMillis);
			case DEAD -> ofDead(call, state);
		};
	}

	private List<Effect> ofAbsent(Call call, IdState state) {
		Effect created = new Effect(Answer.CREATED, state.created(call, this.changed));
		return switch (call.operation()) {
			case SCHEDULE, REPLACE, POSTPONE -> List.of(created);
			case KEEP, FAIL -> {
				Effect done = new Effect(Answer.DONE, state);
				// The window of generated ids is short
				yield !state.finished() ? List.of(created) : this.isGenerated ? List.of(done, created) : List.of(done);
			}
			case CANCEL, RESCHEDULE, FIND -> List.of(new Effect(Answer.NOT_FOUND, state));
		};
	}

	private static List<Effect> ofLive(Call call, IdState state, long nowMillis) {
		boolean isDue = state.firstDue() <= nowMillis;
		return switch (call.operation()) {
			case SCHEDULE -> List.of(new Effect(Answer.DUPLICATE, state));
			case KEEP, FAIL -> known(Answer.DUPLICATE, state);
			case REPLACE -> List.of(new Effect(Answer.REPLACED, state.stored(call)));
			case POSTPONE -> List.of(new Effect(Answer.POSTPONED, state.stored(call)));
			case CANCEL -> either(isDue, new Effect(Answer.IN_FLIGHT, state.absent(false)),
					new Effect(Answer.CANCELLED, state.absent(false)));
			case RESCHEDULE -> either(isDue, new Effect(Answer.IN_FLIGHT, state),
					new Effect(Answer.RESCHEDULED, state.due(call.firstDue(), call.lastDue())));
			case FIND -> {
				if (!state.mayBeDue(call.dueMillis())) {
					yield List.of();
				}
				IdState found = state.due(call.dueMillis(), call.dueMillis());
				Answer inStream = (call.answer() == Answer.READY) ? Answer.READY : Answer.PENDING;
				yield either(call.dueMillis() <= nowMillis, new Effect(inStream, found),
						new Effect(Answer.SCHEDULED, found));
			}
		};
	}

	private static List<Effect> known(Answer answer, IdState state) {
		Effect here = new Effect(answer, state);
		return state.finishedElsewhere() ? List.of(here, new Effect(Answer.DONE, state)) : List.of(here);
	}

	private static List<Effect> either(boolean isDue, Effect inStream, Effect scheduled) {
		return isDue ? List.of(inStream, scheduled) : List.of(scheduled);
	}

	private static List<Effect> ofDead(Call call, IdState state) {
		return switch (call.operation()) {
			case SCHEDULE, POSTPONE, RESCHEDULE -> List.of(new Effect(Answer.DEAD_LETTER, state));
			case KEEP, FAIL -> known(Answer.DEAD_LETTER, state);
			case REPLACE -> List.of(new Effect(Answer.REPLACED, state.stored(call)));
			case CANCEL -> List.of(new Effect(Answer.DEAD_LETTER, state.absent(false)));
			case FIND -> state.mayBeDue(call.dueMillis()) ? List.of(new Effect(Answer.DEAD, state)) : List.of();
		};
	}

}
