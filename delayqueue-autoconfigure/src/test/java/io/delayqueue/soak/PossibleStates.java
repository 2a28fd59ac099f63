package io.delayqueue.soak;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Call.Operation;

/**
 * The sequential specification of one id, and the states that its message can be in by
 * what is known so far. A call takes effect at one instant between call and answer, or at
 * any time after the call, or never, if its outcome is unknown; consumers end a message
 * at any time after a handler has succeeded with it, and set it aside after one has
 * failed that always does.
 */
final class PossibleStates {

	private final boolean isGenerated;

	/** The calls whose messages a handler has succeeded with. */
	private final Set<Integer> succeeded = new HashSet<>();

	/** The calls whose messages a handler has failed with that always does. */
	private final Set<Integer> failed = new HashSet<>();

	private Set<Possibility> possibilities = Set.of(new Possibility(State.NEW, Set.of()));

	PossibleStates(boolean isGenerated) {
		this.isGenerated = isGenerated;
	}

	private enum Place {

		/** There is no message of that id. */
		ABSENT,

		/** It is scheduled, ready or pending. */
		LIVE,

		/** It is a dead letter. */
		DEAD

	}

	/**
	 * A state of the id.
	 *
	 * @param place where its message is
	 * @param version the call that has stored it, 0 if there is none
	 * @param firstDue before when it is not due, ms
	 * @param lastDue after when it is not due, ms
	 * @param finished whether a message of that id has been handled
	 */
	private record State(Place place, int version, long firstDue, long lastDue, boolean finished) {

		static final State NEW = new State(Place.ABSENT, 0, 0, 0, false);

		State absent(boolean nowFinished) {
			return new State(Place.ABSENT, 0, 0, 0, nowFinished || this.finished);
		}

		State dead() {
			return new State(Place.DEAD, this.version, this.firstDue, this.lastDue, this.finished);
		}

		State due(long first, long last) {
			return new State(this.place, this.version, first, last, this.finished);
		}

		State stored(Call call) {
			return new State(Place.LIVE, call.number(), call.firstDue(), call.lastDue(), this.finished);
		}

		boolean isLive(int of) {
			return this.place == Place.LIVE && this.version == of;
		}

		boolean mayBeDue(long millis) {
			return this.firstDue <= millis && millis <= this.lastDue;
		}

	}

	/**
	 * A possible state.
	 *
	 * @param state the state
	 * @param open the calls that have not taken effect
	 */
	private record Possibility(State state, Set<Call> open) {

		boolean isLive(int version) {
			return this.state.isLive(version);
		}

	}

	/** What a call may answer, and the state after it. */
	private record Effect(Answer answer, State state) {
	}

	/** A handler succeeds with a message. */
	void succeeded(int version) {
		this.succeeded.add(version);
	}

	/** A handler fails with a message, as it always does. */
	void failed(int version) {
		this.failed.add(version);
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

	/** A call has its answer: whether that can be. */
	boolean answered(Call call) {
		if (call.answer() == Answer.UNKNOWN) {
			return true;
		}
		advance(call.answerMicros() / 1000);
		return keep((possibility) -> !possibility.open().contains(call));
	}

	/**
	 * Whether a consumer can be given a message now.
	 * @param version the call that has stored it
	 */
	boolean mayBeLive(int version, long nowMillis) {
		advance(nowMillis);
		return keep((possibility) -> possibility.isLive(version));
	}

	/** Whether the message that a consumer is given now can have this due time. */
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

	/** Redis has finished a message because a consumer has handled it. */
	boolean finished(int version, long nowMillis) {
		advance(nowMillis);
		return keep((possibility) -> !possibility.isLive(version));
	}

	/** In the end: whether it can be a dead letter, or not be there. */
	boolean mayEnd(boolean dead) {
		advance(Long.MAX_VALUE);
		return keep((possibility) -> possibility.state().place() == (dead ? Place.DEAD : Place.ABSENT));
	}

	private boolean keep(Predicate<Possibility> holds) {
		Set<Possibility> kept = new HashSet<>();
		this.possibilities.stream().filter(holds).forEach(kept::add);
		this.possibilities = kept;
		return !kept.isEmpty();
	}

	/** Adds whatever may have happened until now. */
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
		State state = possibility.state();
		if (state.place() == Place.LIVE && this.succeeded.contains(state.version())) {
			next.add(new Possibility(state.absent(true), possibility.open()));
		}
		if (state.place() == Place.LIVE && this.failed.contains(state.version())) {
			next.add(new Possibility(state.dead(), possibility.open()));
		}
		for (Call call : possibility.open()) {
			Set<Call> others = new HashSet<>(possibility.open());
			others.remove(call);
			for (Effect effect : effects(call, state, nowMillis)) {
				if (call.answer() == effect.answer() || call.answer() == Answer.UNKNOWN) {
					next.add(new Possibility(effect.state(), Set.copyOf(others)));
				}
			}
		}
		return next;
	}

	private List<Effect> effects(Call call, State state, long nowMillis) {
		return switch (state.place()) {
			case ABSENT -> ofAbsent(call, state);
			case LIVE -> ofLive(call, state, nowMillis);
			case DEAD -> ofDead(call, state);
		};
	}

	private List<Effect> ofAbsent(Call call, State state) {
		Effect created = new Effect(Answer.CREATED, state.stored(call));
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

	private static List<Effect> ofLive(Call call, State state, long nowMillis) {
		boolean isDue = state.firstDue() <= nowMillis;
		return switch (call.operation()) {
			case SCHEDULE, KEEP, FAIL -> List.of(new Effect(Answer.DUPLICATE, state));
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
				State seen = state.due(call.dueMillis(), call.dueMillis());
				Answer inStream = (call.answer() == Answer.READY) ? Answer.READY : Answer.PENDING;
				yield either(call.dueMillis() <= nowMillis, new Effect(inStream, seen),
						new Effect(Answer.SCHEDULED, seen));
			}
		};
	}

	private static List<Effect> either(boolean isDue, Effect inStream, Effect scheduled) {
		return isDue ? List.of(inStream, scheduled) : List.of(scheduled);
	}

	private static List<Effect> ofDead(Call call, State state) {
		return switch (call.operation()) {
			case SCHEDULE, KEEP, FAIL, POSTPONE, RESCHEDULE -> List.of(new Effect(Answer.DEAD_LETTER, state));
			case REPLACE -> List.of(new Effect(Answer.REPLACED, state.stored(call)));
			case CANCEL -> List.of(new Effect(Answer.DEAD_LETTER, state.absent(false)));
			case FIND -> state.mayBeDue(call.dueMillis()) ? List.of(new Effect(Answer.DEAD, state)) : List.of();
		};
	}

}
