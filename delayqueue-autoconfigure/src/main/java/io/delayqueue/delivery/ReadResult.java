package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import io.delayqueue.store.MessageRecord;
import io.delayqueue.store.NewerRecordException;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.ReadyMessages.Release;

/**
 * What a read brought, sorted by what becomes of it.
 *
 * @param tasks to be handled
 * @param unreadable to be dead-lettered
 * @param leftovers to be given back: without a record, or for a newer version
 * @param lost the ids of those of them whose records others have removed
 * @param newer those of them that a newer version has written
 */
record ReadResult(List<DeliveryTask> tasks, List<Unreadable> unreadable, List<Release> leftovers, List<String> lost,
		List<NewerRecordException> newer) {

	/**
	 * Sorts what was read.
	 * @param read what a read delivered
	 * @param accept takes what is kept in, with its record
	 */
	static ReadResult of(Read read, BiFunction<Entry, MessageRecord, DeliveryTask> accept) {
		ReadResult result = new ReadResult(new ArrayList<>(read.entries().size()), new ArrayList<>(0),
				new ArrayList<>(0), new ArrayList<>(0), new ArrayList<>(0));
		for (Entry entry : read.entries()) {
			result.add(entry, read.nowMicros() / 1000, accept);
		}
		return result;
	}

	private void add(Entry entry, long nowMillis, BiFunction<Entry, MessageRecord, DeliveryTask> accept) {
		byte[] record = entry.record();
		if (record == null) {
			this.leftovers.add(new Release(entry.entry(), entry.id(), Release.DUE_NOW));
			if (entry.lost()) {
				this.lost.add(entry.id());
			}
			return;
		}
		try {
			this.tasks.add(accept.apply(entry, MessageRecord.from(record)));
		}
		catch (NewerRecordException problem) {
			this.newer.add(problem);
			this.leftovers.add(new Release(entry.entry(), entry.id(),
					NewerRecordLog.againMillis(problem, entry.expiryMillis(), nowMillis), true));
		}
		catch (RuntimeException problem) {
			this.unreadable.add(new Unreadable(accept.apply(entry, MessageRecord.UNREADABLE), problem));
		}
	}

	/**
	 * How many take a place.
	 */
	int kept() {
		return this.tasks.size() + this.unreadable.size();
	}

	/**
	 * A message whose record has another form than this version writes.
	 *
	 * @param task the message, without content
	 * @param problem what is wrong with it
	 */
	record Unreadable(DeliveryTask task, RuntimeException problem) {
	}

}
