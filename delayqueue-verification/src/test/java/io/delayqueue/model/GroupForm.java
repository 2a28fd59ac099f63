package io.delayqueue.model;

/**
 * The canonical form of group states that differ only in names or in data that no later
 * step reads: entries and labels are renumbered, and the two consumers are sorted.
 */
final class GroupForm {

	private GroupForm() {
	}

	static State of(State state) {
		return relabelled(ordered(renumbered(state)));
	}

	/** The canonical form in which the consumers keep their positions. */
	static State renamed(State state) {
		return relabelled(renumbered(state));
	}

	/** An entry of an id greater than all in use. */
	static int newEntry(State state, int id) {
		return Integer.SIZE - Integer.numberOfLeadingZeros(entries(state, id)) + 1;
	}

	/** A label that is not in use. */
	static int newLabel(State state) {
		int used = labels(state);
		int label = 1;
		while ((used & State.setOf(label)) != 0) {
			label++;
		}
		return label;
	}

	private static int entries(State state, int id) {
		ReadyStream ready = new ReadyStream(GroupKey.READY.of(state, id));
		int known = State.setOf(GroupKey.ENTRIES.of(state, id));
		for (int entry = 1; entry <= GroupKey.MAX_ENTRIES; entry++) {
			known |= (ready.slot(entry) != 0) ? State.setOf(entry) : 0;
		}
		return known | entryOf(GroupWorld.WORKER_A, state, id) | entryOf(GroupWorld.WORKER_B, state, id);
	}

	private static int entryOf(GroupWorld worker, State state, int id) {
		GroupWorker known = GroupWorker.of(worker.of(state));
		return (known.id() == id) ? State.setOf(known.entry()) : 0;
	}

	private static State renumbered(State state) {
		State renumbered = state;
		for (int id = 0; id < GroupKey.MAX_IDS; id++) {
			int known = entries(renumbered, id);
			if ((known & known + 1) != 0) {
				renumbered = renumbered(renumbered, id, known);
			}
		}
		return renumbered;
	}

	private static State renumbered(State state, int id, int known) {
		ReadyStream before = new ReadyStream(GroupKey.READY.of(state, id));
		ReadyStream ready = new ReadyStream(0);
		for (int entry = 1; entry <= GroupKey.MAX_ENTRIES; entry++) {
			if ((known & State.setOf(entry)) != 0) {
				ready = ready.withSlot(rank(entry, known), before.slot(entry));
			}
		}
		State renumbered = GroupKey.READY.set(state, id, ready.slots());
		renumbered = GroupKey.ENTRIES.set(renumbered, id, rank(GroupKey.ENTRIES.of(state, id), known));
		renumbered = withEntry(GroupWorld.WORKER_A, renumbered, id, known);
		return withEntry(GroupWorld.WORKER_B, renumbered, id, known);
	}

	private static State withEntry(GroupWorld worker, State state, int id, int known) {
		GroupWorker before = GroupWorker.of(worker.of(state));
		if (before.idle() || before.id() != id) {
			return state;
		}
		return worker.set(state, before.renamed(rank(before.entry(), known), before.label()).toBits());
	}

	private static int rank(int entry, int known) {
		return (entry != 0) ? Integer.bitCount(known & (1 << entry) - 1) : 0;
	}

	private static State ordered(State state) {
		GroupWorker a = GroupWorker.of(GroupWorld.WORKER_A.of(state));
		GroupWorker b = GroupWorker.of(GroupWorld.WORKER_B.of(state));
		if (a.renamed(a.entry(), 0).toBits() >= b.renamed(b.entry(), 0).toBits()) {
			return state;
		}
		State ordered = GroupWorld.WORKER_A.set(GroupWorld.WORKER_B.set(state, a.toBits()), b.toBits());
		for (int id = 0; id < GroupKey.MAX_IDS; id++) {
			ReadyStream ready = new ReadyStream(GroupKey.READY.of(ordered, id));
			ordered = GroupKey.READY.set(ordered, id,
					ready.swap(ConsumerName.A.holder(), ConsumerName.B.holder()).slots());
		}
		return ordered;
	}

	private static int labels(State state) {
		int labels = GroupCall.isOpen(state) ? GroupCall.open(state).labels() : 0;
		for (int id = 0; id < GroupKey.MAX_IDS; id++) {
			labels |= State.setOf(GroupKey.MESSAGES.of(state, id));
		}
		return labels | State.setOf(GroupWorker.of(GroupWorld.WORKER_A.of(state)).label())
				| State.setOf(GroupWorker.of(GroupWorld.WORKER_B.of(state)).label());
	}

	/** Labels in the order of the ids, the open call, the consumers. */
	private static State relabelled(State state) {
		Labels labels = new Labels();
		State after = state;
		for (int id = 0; id < GroupKey.MAX_IDS; id++) {
			after = GroupKey.MESSAGES.set(after, id, labels.of(GroupKey.MESSAGES.of(state, id)));
		}
		int referenced = 0;
		if (GroupCall.isOpen(state)) {
			GroupCall open = GroupCall.open(state);
			referenced = open.labels();
			after = open.labelled(labels.of(open.label())).keepOpen(after);
		}
		after = relabelled(GroupWorld.WORKER_A, after, labels);
		after = relabelled(GroupWorld.WORKER_B, after, labels);
		int handled = GroupWorld.HANDLED.of(state);
		int ended = GroupWorld.ENDED.of(state);
		after = GroupWorld.ACCEPTED.set(after, labels.all(GroupWorld.ACCEPTED.of(state) & ~handled & ~ended));
		after = GroupWorld.HANDLED.set(after, labels.all(handled & referenced));
		after = GroupWorld.ENDED.set(after, labels.all(ended & referenced));
		return GroupWorld.TOMBSTONES.set(after, labels.all(GroupWorld.TOMBSTONES.of(state) & referenced));
	}

	private static State relabelled(GroupWorld worker, State state, Labels labels) {
		GroupWorker before = GroupWorker.of(worker.of(state));
		return worker.set(state, before.renamed(before.entry(), labels.of(before.label())).toBits());
	}

	/** New labels for old labels, in the order of the requests. */
	private static final class Labels {

		private static final int MAX = 7;

		/** Four bits for each label. */
		private int labels;

		private int last;

		int of(int label) {
			if (label != 0 && get(label) == 0) {
				this.labels |= ++this.last << 4 * label;
			}
			return get(label);
		}

		private int get(int label) {
			return this.labels >>> 4 * label & 15;
		}

		/** The new labels of the old labels that still have one. */
		int all(int old) {
			int all = 0;
			for (int label = 1; label <= MAX; label++) {
				all |= ((old & State.setOf(label)) != 0) ? State.setOf(get(label)) : 0;
			}
			return all;
		}

	}

}
