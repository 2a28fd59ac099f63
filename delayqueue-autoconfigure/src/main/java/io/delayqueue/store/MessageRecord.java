package io.delayqueue.store;

import java.util.Locale;
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

	private static final char VERSION = '1';

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
		if (bytes.length == 0 || bytes[0] != VERSION) {
			throw new UnreadableRecordException(
					"its record has version " + version(bytes) + ", but known is '" + VERSION + "'", null);
		}
		if (bytes.length < ENVELOPE + CallToken.LENGTH) {
			throw new UnreadableRecordException("its record of version '" + VERSION + "' is cut short", null);
		}
		long due = 0;
		for (int i = DUE; i < ENVELOPE; i++) {
			if (bytes[i] < '0' || bytes[i] > '9') {
				throw new UnreadableRecordException("its record has no due time", null);
			}
			due = due * 10 + (bytes[i] - '0');
		}
		return due;
	}

	private static String version(byte[] bytes) {
		if (bytes.length == 0) {
			return "none";
		}
		return (bytes[0] > ' ' && bytes[0] < 127) ? "'" + (char) bytes[0] + "'"
				: String.format(Locale.ROOT, "0x%02x", bytes[0]);
	}

}
