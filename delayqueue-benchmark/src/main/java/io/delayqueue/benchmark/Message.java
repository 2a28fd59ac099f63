package io.delayqueue.benchmark;

/**
 * A message of a workload. The payload contains all data of the message, so that an
 * implementation needs to pass only the payload to the ledger.
 *
 * @param number the number of the message in the run, from 0
 * @param dueMillis the due time, ms since 1970
 * @param size the size of the payload, bytes
 */
record Message(int number, long dueMillis, int size) {

	/** The default size of the payload, bytes. */
	static final int SIZE = 256;

	private static final int DIGITS = 10;

	Message(int number, long dueMillis) {
		this(number, dueMillis, SIZE);
	}

	Message withSize(int newSize) {
		return new Message(this.number, this.dueMillis, newSize);
	}

	/** Returns an id of the same length as the ids that the starter generates. */
	String id() {
		return String.format("benchmark-%014d", this.number);
	}

	String payload() {
		String known = digits(this.number, DIGITS) + digits(this.dueMillis, DIGITS + 3);
		return known + "p".repeat(this.size - known.length());
	}

	static Message of(String payload) {
		return new Message(Integer.parseInt(payload, 0, DIGITS, 10),
				Long.parseLong(payload, DIGITS, 2 * DIGITS + 3, 10), payload.length());
	}

	private static String digits(long number, int count) {
		char[] digits = new char[count];
		long rest = number;
		for (int i = count - 1; i >= 0; i--) {
			digits[i] = (char) ('0' + rest % 10);
			rest /= 10;
		}
		return new String(digits);
	}

}
