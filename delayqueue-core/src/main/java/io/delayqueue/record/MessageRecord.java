package io.delayqueue.record;

import java.util.Locale;
import java.util.Map;

/**
 * A message that was read from its record in Redis.
 *
 * <p>
 * A record begins with the version of its form, so that the form can change while
 * processes with several versions of the library run:
 * <ol>
 * <li>Each version of the library that writes a form also reads this form and all older
 * forms.</li>
 * <li>The versions of the form are {@code 1} to {@code 9}, then {@code A} to {@code Z}.
 * The due time and the call token are at the same offsets in every version of the form,
 * because scripts of any version read them.</li>
 * <li>A record in the form of a newer version is not damaged: only processes that can
 * read the record handle its message.</li>
 * </ol>
 *
 * @param dueMillis the due time, ms since 1970
 * @param envelope the envelope
 */
public record MessageRecord(long dueMillis, Envelope envelope) {

	/** Stands for a record that this version of the library cannot read. */
	public static final MessageRecord UNREADABLE = new MessageRecord(0, new Envelope("", null, Map.of(), new byte[0]));

	private static final char VERSION = '1';

	private static final int DUE = 1;

	private static final int ENVELOPE = DUE + 16;

	/**
	 * Reads the record of a message.
	 * @param bytes the record
	 * @return the message
	 * @throws NewerRecordException if a newer version of the library wrote the record
	 * @throws UnreadableRecordException if the record has another form
	 */
	public static MessageRecord from(byte[] bytes) {
		if (bytes.length == 0 || (bytes[0] != VERSION && !isNewer(bytes[0]))) {
			throw new UnreadableRecordException(
					"its record has version " + version(bytes) + ", but the known version is '" + VERSION + "'", null);
		}
		long due = dueMillis(bytes);
		if (bytes[0] != VERSION) {
			throw new NewerRecordException((char) bytes[0], VERSION, due);
		}
		return new MessageRecord(due, Envelope.from(bytes, ENVELOPE));
	}

	private static boolean isNewer(byte version) {
		return (version > VERSION && version <= '9') || (version >= 'A' && version <= 'Z');
	}

	private static long dueMillis(byte[] bytes) {
		if (bytes.length < ENVELOPE + CallToken.LENGTH) {
			throw new UnreadableRecordException("its record of version " + version(bytes) + " is cut short", null);
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
