package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Entry;

/**
 * Handles all due messages, as a sweeper and a consumer would.
 */
final class Drain {

	private static final int MOST_ROUNDS = 20;

	private static final int MANY = 1000;

	private Drain() {
	}

	/**
	 * Sweeps, reads and settles until there is nothing left to do.
	 * @return the records that a handler received, in their order
	 */
	static List<String> of(TestStore store) {
		List<String> handled = new ArrayList<>();
		for (int round = 0; round < MOST_ROUNDS; round++) {
			Swept swept = store.sweep(MANY, MANY, "");
			List<Entry> delivered = store.read("drain");
			boolean isOverdue = swept.nextDueMillis() >= 0 && swept.nextDueMillis() <= swept.read().nowMicros() / 1000;
			if (swept.moved() == 0 && delivered.isEmpty() && !isOverdue) {
				return handled;
			}
			for (Entry entry : delivered) {
				byte[] record = entry.record();
				if (record != null) {
					handled.add(Reply.text(record));
					store.acknowledge(entry);
				}
				else {
					store.release(1, entry);
				}
			}
		}
		throw new AssertionError("Not drained after " + MOST_ROUNDS + " rounds; handled " + handled);
	}

}
