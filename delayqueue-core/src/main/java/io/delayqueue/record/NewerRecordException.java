package io.delayqueue.record;

/**
 * Reports a message record that a newer version of the library wrote. The record is not
 * damaged: processes with the newer version can read the record.
 */
public final class NewerRecordException extends UnreadableRecordException {

	private static final long serialVersionUID = 1L;

	private final char version;

	private final long dueMillis;

	NewerRecordException(char version, char known, long dueMillis) {
		super("its record has version '" + version + "', but the newest known version is '" + known + "'", null);
		this.version = version;
		this.dueMillis = dueMillis;
	}

	/**
	 * Returns the version of the record's form.
	 * @return the first byte of the record
	 */
	public char version() {
		return this.version;
	}

	/**
	 * Returns the due time of the message, which is at the same offset of a record in
	 * every version of the form.
	 * @return the due time, ms since 1970
	 */
	public long dueMillis() {
		return this.dueMillis;
	}

}
