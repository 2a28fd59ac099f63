package io.delayqueue.model;

/**
 * The stream with its pending list. Entry ids are increasing numbers from 1; ids that are
 * no longer in use are reused (see {@link CanonicalForm}).
 *
 * @param slots four bits for each entry: whether it is in the stream, and its holder
 */
record ReadyStream(int slots) {

	static final int MAX_ENTRIES = 6;

	/** Holder of a pending entry whose consumer has died or never received it. */
	static final int NO_CONSUMER = 1;

	private static final int UNDELIVERED = 1;

	private static final int DELIVERED = 2;

	private static final int IN_STREAM = 3;

	private static final int HOLDER = 12;

	boolean undelivered(int entry) {
		return (slot(entry) & IN_STREAM) == UNDELIVERED;
	}

	boolean inStream(int entry) {
		return (slot(entry) & IN_STREAM) != 0;
	}

	boolean pending(int entry) {
		return (slot(entry) & HOLDER) != 0;
	}

	/**
	 * {@link #NO_CONSUMER}, the holder of a consumer, or 0 if the entry is not pending.
	 */
	int holder(int entry) {
		return slot(entry) >> 2;
	}

	boolean isEmpty() {
		return this.slots == 0;
	}

	/** The entry that XREADGROUP would deliver, 0 if none. */
	int firstUndelivered() {
		for (int entry = 1; entry <= MAX_ENTRIES; entry++) {
			if (undelivered(entry)) {
				return entry;
			}
		}
		return 0;
	}

	ReadyStream add(int entry) {
		return withSlot(entry, UNDELIVERED);
	}

	ReadyStream deliver(int entry, int holder) {
		return withSlot(entry, DELIVERED | holder << 2);
	}

	ReadyStream delete(int entry) {
		return (entry != 0) ? withSlot(entry, slot(entry) & HOLDER) : this;
	}

	ReadyStream acknowledge(int entry) {
		return (entry != 0) ? withSlot(entry, slot(entry) & IN_STREAM) : this;
	}

	/** Moves all entries of one holder to another. */
	ReadyStream pass(int from, int to) {
		ReadyStream passed = this;
		for (int entry = 1; entry <= MAX_ENTRIES; entry++) {
			if (holder(entry) == from) {
				passed = passed.withSlot(entry, slot(entry) & IN_STREAM | to << 2);
			}
		}
		return passed;
	}

	/** Exchanges the entries of two holders. */
	ReadyStream swap(int one, int other) {
		ReadyStream swapped = this;
		for (int entry = 1; entry <= MAX_ENTRIES; entry++) {
			int holder = holder(entry);
			if (holder == one || holder == other) {
				swapped = swapped.withSlot(entry, slot(entry) & IN_STREAM | (one + other - holder) << 2);
			}
		}
		return swapped;
	}

	int slot(int entry) {
		return this.slots >> 4 * (entry - 1) & 15;
	}

	ReadyStream withSlot(int entry, int slot) {
		int shift = 4 * (entry - 1);
		return new ReadyStream(this.slots & ~(15 << shift) | slot << shift);
	}

}
