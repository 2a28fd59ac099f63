package io.delayqueue.store;

import java.util.Map;

/**
 * The record of a message, read back.
 *
 * @param dueMillis the due time, ms since 1970
 * @param envelope what the message carries
 */
public record MessageRecord(long dueMillis, Envelope envelope) {

	/** Stands for a record that could not be read. */
	public static final MessageRecord UNREADABLE = new MessageRecord(0, new Envelope("", null, Map.of(), new byte[0]));

	private static final int DUE = 1;

	private static final int ENVELOPE = DUE + 16;

	/**
	 * Reads a record.
	 * @param bytes the record
	 * @return the message
	 * @throws UnreadableRecordException if it has another form
	 */
	public static MessageRecord from(byte[] bytes) {
		return new MessageRecord(dueMillis(bytes), Envelope.from(bytes, ENVELOPE));
	}

	private static long dueMillis(byte[] bytes) {
		if (bytes.length < ENVELOPE + CallToken.LENGTH || bytes[0] != '1') {
			throw new UnreadableRecordException("The record has no version that is known here", null);
		}
		long due = 0;
		for (int i = DUE; i < ENVELOPE; i++) {
			if (bytes[i] < '0' || bytes[i] > '9') {
				throw new UnreadableRecordException("The record has no due time", null);
			}
			due = due * 10 + (bytes[i] - '0');
		}
		return due;
	}

}
