package io.delayqueue.store;

import io.delayqueue.MessageState;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;

/**
 * A message and all its stored data, at one moment.
 *
 * @param partition its partition
 * @param id its id
 * @param state its state; also scheduled if its record is in no state at all, because
 * repair will schedule it
 * @param record its record, not to be changed
 * @param placeMillis when it will be swept, or when it was dead-lettered, ms since 1970;
 * -1 if neither is stored
 * @param failure the record of its failed deliveries
 * @param entry its stream entry; only defined if it is ready or pending
 * @param consumer the consumer that holds it; only defined if it is pending
 * @param idleMillis how long ago that consumer took it or renewed its lease
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
	 * @throws UnreadableRecordException if the time is stored in its record only, and the
	 * record has another form
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
