package io.delayqueue.store;

/**
 * A newer version of the library has written a record. It is not damaged: processes of
 * that version can read it.
 */
public final class NewerRecordException extends UnreadableRecordException {

	private static final long serialVersionUID = 1L;

	private final char version;

	private final long dueMillis;

	NewerRecordException(char version, char known, long dueMillis) {
		super("its record has version '" + version + "', but the newest that is known here is '" + known + "'", null);
		this.version = version;
		this.dueMillis = dueMillis;
	}

	/**
	 * The version of the record.
	 * @return the byte that it begins with
	 */
	public char version() {
		return this.version;
	}

	/**
	 * The due time of the message, which every version keeps in the same place.
	 * @return the due time, ms since 1970
	 */
	public long dueMillis() {
		return this.dueMillis;
	}

}
