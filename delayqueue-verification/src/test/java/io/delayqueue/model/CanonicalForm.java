package io.delayqueue.model;

/**
 * The canonical form of states that differ only in names or in data that no later step
 * reads. Keeps the number of states small and finite:
 * <ol>
 * <li>data that no property and no script can read again is dropped;</li>
 * <li>entry ids are renumbered in their order;</li>
 * <li>the two consumers are interchangeable and are sorted.</li>
 * </ol>
 */
final class CanonicalForm {

	private CanonicalForm() {
	}

	static State of(State state) {
		return ordered(renamed(state));
	}

	/** The first two steps: the consumers keep their names. */
	static State renamed(State state) {
		return renumbered(forgotten(state));
	}

	/** An entry id greater than all ids in use. */
	static int newEntry(State state) {
		int entry = Integer.SIZE - Integer.numberOfLeadingZeros(known(state)) + 1;
		if (entry > ReadyStream.MAX_ENTRIES) {
			throw new IllegalStateException("More entries than the model can hold: " + state);
		}
		return entry;
	}

	private static State forgotten(State state) {
		int open = Call.open(state);
		Message message = state.message();
		Consumer a = state.consumer(ConsumerName.A);
		Consumer b = state.consumer(ConsumerName.B);
		int settled = state.get(Field.HANDLED) | state.get(Field.ENDED);
		int referenced = open | State.setOf(message.version());
		int held = State.setOf(a.version()) | State.setOf(b.version());
		int toCome = -1 << state.get(Field.CALLS);
		// A repeated cancel reads the tombstone of the record that it finds.
		int tokens = open | (state.has(Field.REMEMBERED) ? State.setOf(message.token()) : 0);
		State kept = state.minus(Field.ACCEPTED, settled)
			.with(Field.HANDLED, state.get(Field.HANDLED) & referenced)
			.with(Field.ENDED, state.get(Field.ENDED) & referenced)
			.with(Field.CANCELLED, state.get(Field.CANCELLED) & (referenced | held))
			.with(Field.TOMBSTONES, state.get(Field.TOMBSTONES) & (tokens | toCome))
			.with(Field.REMEMBERED, state.get(Field.REMEMBERED) & open)
			.with(Field.EXECUTED, state.get(Field.EXECUTED) & open);
		int compared = referenced | held | State.setOf(state.expiry().version());
		kept = kept.with(Field.MESSAGES, message.without(~compared, open == 0).toBits());
		Failures failures = state.failures();
		int last = failures.lastSettled();
		if (last != 0 && last != a.entry() && last != b.entry()) {
			kept = kept.with(Field.FAILURES, failures.withLastSettled(Failures.OF_OLD).toBits());
		}
		return kept;
	}

	private static State renumbered(State state) {
		int known = known(state);
		if ((known & known + 1) == 0) {
			return state;
		}
		ReadyStream ready = new ReadyStream(0);
		for (int entry = 1; entry <= ReadyStream.MAX_ENTRIES; entry++) {
			if ((known & State.setOf(entry)) != 0) {
				ready = ready.withSlot(renumbered(entry, known), state.ready().slot(entry));
			}
		}
		Failures failures = state.failures();
		State renumbered = state.with(ready).with(Field.ENTRIES, renumbered(state.get(Field.ENTRIES), known));
		if (failures.lastSettled() != Failures.OF_OLD) {
			Failures renamed = failures.withLastSettled(renumbered(failures.lastSettled(), known));
			renumbered = renumbered.with(Field.FAILURES, renamed.toBits());
		}
		for (ConsumerName name : ConsumerName.values()) {
			Consumer consumer = state.consumer(name);
			renumbered = renumbered.with(name, consumer.withEntry(renumbered(consumer.entry(), known)));
		}
		return renumbered;
	}

	/** The number of an entry is its rank among the ids in use. */
	private static int renumbered(int entry, int known) {
		return (entry != 0) ? Integer.bitCount(known & (1 << entry) - 1) : 0;
	}

	/** All entry ids in use, as a set. */
	private static int known(State state) {
		int last = state.failures().lastSettled();
		int known = State.setOf(state.get(Field.ENTRIES)) | State.setOf((last != Failures.OF_OLD) ? last : 0)
				| State.setOf(state.consumer(ConsumerName.A).entry())
				| State.setOf(state.consumer(ConsumerName.B).entry());
		for (int entry = 1; entry <= ReadyStream.MAX_ENTRIES; entry++) {
			known |= (state.ready().slot(entry) != 0) ? State.setOf(entry) : 0;
		}
		return known;
	}

	private static State ordered(State state) {
		Consumer a = state.consumer(ConsumerName.A);
		Consumer b = state.consumer(ConsumerName.B);
		if (a.toBits() >= b.toBits()) {
			return state;
		}
		return state.with(state.ready().swap(ConsumerName.A.holder(), ConsumerName.B.holder()))
			.with(ConsumerName.A, b)
			.with(ConsumerName.B, a);
	}

}
