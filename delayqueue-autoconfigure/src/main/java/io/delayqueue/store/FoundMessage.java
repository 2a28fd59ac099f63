package io.delayqueue.store;

import io.delayqueue.MessageState;

/**
 * A message, and all that is kept of it, at one moment.
 *
 * @param partition where it lives
 * @param id its id
 * @param state where it is; scheduled also if it is nowhere, because repair will see to
 * that
 * @param record its record, not to be changed
 * @param placeMillis when it will be swept, or when it was set aside if it is dead, ms
 * since 1970; -1 if neither is stored
 * @param failure what is kept of its failed deliveries
 * @param entry its stream entry; of no meaning unless it is ready or pending
 * @param consumer who has it; of no meaning unless it is pending
 * @param idleMillis for how long that consumer has been silent about it
 */
@SuppressWarnings("ArrayRecordComponent")
public record FoundMessage(Partition partition, String id, MessageState state, byte[] record, long placeMillis,
		FailureRecord failure, String entry, String consumer, long idleMillis) {

	/**
	 * Reads the record.
	 * @return the message
	 * @throws UnreadableRecordException if it has another form
	 */
	public MessageRecord message() {
		return MessageRecord.from(this.record);
	}

	/**
	 * When it will be handed to a listener next, if it is scheduled.
	 * @return ms since 1970
	 * @throws UnreadableRecordException if that stands in its record only, and the record
	 * has another form
	 */
	public long nextAttemptMillis() {
		return (this.placeMillis >= 0) ? this.placeMillis : message().dueMillis();
	}

	/**
	 * When it was swept, if it is ready or pending.
	 * @return ms since 1970
	 */
	public long readyMillis() {
		return Pages.millisOf(this.entry);
	}

}
