package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.delayqueue.record.MessageRecord;
import io.delayqueue.record.NewerRecordException;
import io.delayqueue.store.PendingMessages.Release;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Entry.Special;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.StoredId;

/**
 * The messages of one read, sorted by what the consumer does with them.
 *
 * @param tasks messages to handle
 * @param unreadable messages whose records cannot be read, which are retried or
 * dead-lettered
 * @param leftovers stream entries to release: those without a record, those of held
 * groups, and those of messages that a newer version of the library has written
 * @param lost ids and groups of messages whose records another program has removed
 * @param newer the exceptions for messages that a newer version of the library has
 * written
 */
record ReadResult(List<DeliveryTask> tasks, List<Unreadable> unreadable, List<Release> leftovers, List<StoredId> lost,
		List<NewerRecordException> newer) {

	/**
	 * Sorts the entries that a read has delivered.
	 * @param read the reply of the read
	 * @param accept creates a delivery from a stream entry and its record
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
		if (record == null || entry.special() == Special.HELD) {
			this.leftovers.add(new Release(entry.entry(), entry.storedId(), Release.DUE_NOW));
			if (entry.special() == Special.LOST) {
				this.lost.add(entry.storedId());
			}
			return;
		}
		try {
			this.tasks.add(accept.apply(entry, MessageRecord.from(record)));
		}
		catch (NewerRecordException problem) {
			this.newer.add(problem);
			this.leftovers.add(new Release(entry.entry(), entry.storedId(),
					againMillis(problem, entry.expiryMillis(), nowMillis), true));
		}
		catch (RuntimeException problem) {
			this.unreadable.add(new Unreadable(accept.apply(entry, MessageRecord.UNREADABLE), problem));
		}
	}

	/**
	 * Returns the time at which a message that a newer library version has written is
	 * delivered again, ms since 1970. The release of such a message does not count as a
	 * failure. The wait grows with the lateness of the message, so that processes that
	 * cannot read the message do not pass it to each other in a fast loop. The wait ends
	 * at the latest when the message expires.
	 */
	static long againMillis(NewerRecordException newer, long expiryMillis, long nowMillis) {
		Duration lateness = Duration.ofMillis(nowMillis - newer.dueMillis());
		long again = nowMillis + Settlement.pauseAfter(lateness).toMillis();
		return (expiryMillis > nowMillis) ? Math.min(again, expiryMillis) : again;
	}

	/**
	 * Returns how many messages of this read use a token of a rate limit; expired
	 * messages use no token.
	 */
	int tokens(long nowMicros) {
		return (int) kept().stream()
			.filter((task) -> task.expiryMillis() < 0 || nowMicros < task.expiryMillis() * 1000)
			.count();
	}

	/**
	 * Returns the messages that keep a permit: messages to handle, and messages whose
	 * records cannot be read.
	 */
	List<DeliveryTask> kept() {
		return Stream.concat(this.tasks.stream(), this.unreadable.stream().map(Unreadable::task)).toList();
	}

	/**
	 * A message whose record this version cannot read.
	 *
	 * @param task the delivery of the message, without payload and headers
	 * @param problem why the record cannot be read
	 */
	record Unreadable(DeliveryTask task, RuntimeException problem) {
	}

}
