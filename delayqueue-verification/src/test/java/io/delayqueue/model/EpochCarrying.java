package io.delayqueue.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.delayqueue.model.EpochScope.Setting;
import io.delayqueue.model.Steps.Kind;

/**
 * The carrying of dead letters: {@code Repartitioner.carry} with {@code carry-out.lua},
 * {@code carry-in.lua} and {@code carried.lua}, write by write. A carrier may wait for
 * any time before each call, which includes one that dies and a call that arrives late. A
 * caller that moves the dead letters of its call is a carrier too.
 */
final class EpochCarrying {

	private final EpochScope scope;

	private final EpochScripts scripts;

	EpochCarrying(EpochScope scope) {
		this.scope = scope;
		this.scripts = new EpochScripts(scope);
	}

	void from(State state, Steps steps) {
		for (int number = 0; number < (this.scope.has(Setting.TWO_CARRIERS) ? 2 : 1); number++) {
			EpochCarrier carrier = EpochCarrier.of(state, number);
			switch (carrier.phase()) {
				case IDLE -> begin(state, number, steps);
				case READ -> copy(state, number, carrier, steps);
				case COPIED -> remove(state, number, carrier, steps);
				case REMOVED -> read(state, number, carrier, steps);
			}
		}
	}

	/** {@code Repartitioner.end}: only dead letters are left. */
	private void begin(State state, int number, Steps steps) {
		int current = EpochPart.current(state);
		for (int place = 0; place < current; place++) {
			boolean isOlder = (EpochPart.usable(state) >> place & 1) != 0;
			boolean isClosed = EpochPart.CLOSED.of(state, place) != 0 || this.scope.has(EpochMutation.CARRY_OPEN);
			if (isOlder && isClosed && EpochKey.DEAD.hasAny(state, place) && isOnlyDead(state, place)) {
				read(state, number, EpochCarrier.begin(place, current), steps);
				if (EpochPart.ANNOUNCED.of(state) != 0) {
					// A closed partition of the current epoch sends the dead letter to
					// the announced epoch
					read(state, number, EpochCarrier.begin(place, EpochPart.ANNOUNCED.of(state)), steps);
				}
			}
		}
	}

	private boolean isOnlyDead(State state, int place) {
		return this.scope.has(EpochMutation.CARRY_BESIDE_LIVE)
				|| (EpochKey.RECORD.count(state, place) == EpochKey.DEAD.count(state, place)
						&& !EpochKey.LIVE.hasAny(state, place));
	}

	/** {@code carry-out.lua}. */
	private void read(State state, int number, EpochCarrier carrier, Steps steps) {
		int from = carrier.from();
		List<Integer> batches = batches(state, carrier);
		if (batches.isEmpty()) {
			steps.add(() -> words(number) + " finds nothing to carry from epoch " + from,
					EpochCarrier.IDLE.in(state, number), Kind.SYSTEM, null);
		}
		int first = this.scope.has(EpochMutation.CARRY_SKIPS_EPOCHS) ? carrier.current() : from + 1;
		for (int letters : batches) {
			State marked = this.scope.has(EpochMutation.CARRY_WITHOUT_MARK) ? state
					: EpochPart.CARRYING.set(state, from, 1);
			EpochCarrier next = carrier.read(letters, first);
			steps.add(() -> words(number, next) + " is read in epoch " + from, next.in(marked, number), Kind.SYSTEM,
					null);
		}
	}

	/**
	 * The possible batches: all dead letters, or one of them, because a batch is bounded.
	 */
	private List<Integer> batches(State state, EpochCarrier carrier) {
		List<Integer> batches = new ArrayList<>();
		int all = 0;
		for (int id = 0; id < this.scope.ids() && isOnlyDead(state, carrier.from()); id++) {
			int record = EpochKey.RECORD.of(state, carrier.from(), id);
			if (record != 0 && EpochKey.DEAD.has(state, carrier.from(), id) && !carrier.isStaying(id)) {
				batches.add(record << 2 * id);
				all |= record << 2 * id;
			}
		}
		if (batches.size() > 1) {
			if (this.scope.has(Setting.OCCUPIED)) {
				batches.clear();
			}
			batches.add(all);
		}
		return batches;
	}

	/** {@code carry-in.lua}. */
	private void copy(State state, int number, EpochCarrier carrier, Steps steps) {
		int to = carrier.to();
		if (this.scope.has(EpochMutation.CARRY_REMOVES_FIRST) && EpochPart.CARRYING.of(state, carrier.from()) != 0) {
			State removed = EpochPart.CARRYING.set(last(removal(state, carrier)), carrier.from(), 0);
			steps.add(() -> words(number, carrier) + " is removed first", removed, Kind.SYSTEM, null);
			return;
		}
		boolean closes = to < carrier.current() && !this.scope.has(EpochMutation.CARRY_SKIPS_EPOCHS);
		State now = closes ? EpochPart.CLOSED.set(state, to, 1) : state;
		boolean closed = EpochPart.CLOSED.of(now, to) != 0 && !this.scope.has(EpochMutation.CARRY_INTO_CLOSED);
		boolean isElsewhere = closed && (this.scripts.isInert(now, to) || !this.scripts.isHeld(now, to, 0));
		if (isElsewhere && to == carrier.current()) {
			steps.add(() -> words(number, carrier) + " is refused by epoch " + to, EpochCarrier.IDLE.in(now, number),
					Kind.SYSTEM, null);
			return;
		}
		List<State> writes = new ArrayList<>(List.of(now));
		int elsewhere = 0;
		int staying = staying(now, carrier, isElsewhere);
		for (int id = 0; id < this.scope.ids(); id++) {
			if (carrier.isLeft(id) && (staying >> id & 1) == 0 && !isHere(now, to, id, carrier.letter(id))) {
				if (isElsewhere) {
					elsewhere |= 1 << id;
				}
				else {
					store(writes, to, id, carrier.letter(id));
				}
			}
		}
		run(writes, () -> words(number, carrier) + " is copied to epoch " + to, carrier.asked(staying, elsewhere),
				number, steps);
	}

	/** Whether a place has a dead letter, or had it. */
	private boolean isHere(State state, int place, int id, int letter) {
		return EpochKey.RECORD.of(state, place, id) == letter || (EpochScripts.hasTombstone(state, place, letter)
				&& !this.scope.has(EpochMutation.CARRY_FORGETS_ENDS));
	}

	/** The ids that another message has in the place; empty if the place takes none. */
	private int staying(State state, EpochCarrier carrier, boolean isElsewhere) {
		int others = 0;
		for (int id = 0; id < this.scope.ids(); id++) {
			if (carrier.isLeft(id) && !isHere(state, carrier.to(), id, carrier.letter(id))) {
				boolean isTaken = this.scripts.isOccupied(carrier.to(), id)
						|| EpochKey.RECORD.has(state, carrier.to(), id);
				others |= isTaken ? 1 << id : 0;
			}
		}
		return isElsewhere ? 0 : others;
	}

	private void store(List<State> writes, int place, int id, int letter) {
		write(writes, EpochKey.DEAD, place, id, 1);
		if (this.scope.isGroup()) {
			write(writes, EpochKey.DEAD_MEMBER, place, id, 1);
			// It keeps its slot unless others have taken all
			if (this.scope.has(Setting.COUNT_DEAD) && EpochKey.MEMBER.count(last(writes), place) < this.scope.quota()) {
				write(writes, EpochKey.MEMBER, place, id, 1);
			}
		}
		State stored = EpochKey.RECORD.set(last(writes), place, id, letter);
		writes.add(this.scope.has(EpochMutation.CARRY_LEAVES_NO_TRACE) ? stored
				: EpochPart.TOMBSTONES.plus(stored, place, 1 << letter - 1));
	}

	private static void write(List<State> writes, EpochKey key, int place, int id, int value) {
		writes.add(key.set(last(writes), place, id, value));
	}

	/** {@code carried.lua}. */
	private void remove(State state, int number, EpochCarrier carrier, Steps steps) {
		run(removal(state, carrier), () -> words(number, carrier) + " is removed from epoch " + carrier.from(),
				carrier.removed(), number, steps);
	}

	/**
	 * The states after each write: the records, the members of the group, the rest, and
	 * the mark of an empty place.
	 */
	private List<State> removal(State state, EpochCarrier carrier) {
		int from = carrier.from();
		List<State> writes = new ArrayList<>(List.of(state));
		boolean isMarked = this.scripts.isInert(state, from) || this.scope.has(EpochMutation.CARRY_WITHOUT_MARK);
		for (EpochKey key : List.of(EpochKey.RECORD, EpochKey.MEMBER, EpochKey.DEAD_MEMBER, EpochKey.DEAD)) {
			State after = last(writes);
			for (int id = 0; id < this.scope.ids(); id++) {
				boolean isGone = carrier.has(id) && !carrier.isStaying(id) && EpochKey.DEAD.has(state, from, id);
				after = (isGone && isMarked) ? key.set(after, from, id, 0) : after;
			}
			writes.add(after);
		}
		State left = last(writes);
		if (Stream.of(EpochKey.RECORD, EpochKey.DEAD, EpochKey.MEMBER, EpochKey.DEAD_MEMBER)
			.noneMatch((key) -> key.hasAny(left, from))) {
			writes.add(EpochPart.CARRYING.set(last(writes), from, 0));
		}
		return writes;
	}

	/** The script runs, or stops after a write. */
	private void run(List<State> writes, Supplier<String> words, EpochCarrier next, int number, Steps steps) {
		State after = last(writes);
		steps.add(words, next.in(after, number), Kind.SYSTEM, null);
		boolean mayStop = EpochPart.STOPS.of(after) < this.scope.bounds().stops();
		for (int i = 1; i < writes.size() && mayStop; i++) {
			if (!writes.get(i).equals(after)) {
				int write = i;
				steps.add(() -> words.get() + " (STOPS after write " + write + ")",
						EpochPart.STOPS.counted(EpochCarrier.IDLE.in(writes.get(i), number)), Kind.FAULT, null);
			}
		}
	}

	private static State last(List<State> writes) {
		return writes.get(writes.size() - 1);
	}

	private static String words(int number) {
		return "carrier " + (number + 1);
	}

	private String words(int number, EpochCarrier carrier) {
		StringBuilder words = new StringBuilder(words(number)).append(": ");
		for (int id = 0; id < this.scope.ids(); id++) {
			words.append(carrier.has(id) ? EpochCall.name(id) : "");
		}
		return words.toString();
	}

}
