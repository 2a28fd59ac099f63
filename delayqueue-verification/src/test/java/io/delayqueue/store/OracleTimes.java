package io.delayqueue.store;

import java.util.OptionalLong;

/**
 * When messages of the oracle are due.
 */
final class OracleTimes {

	private OracleTimes() {
	}

	static boolean isNewHead(long dueMillis, OptionalLong head) {
		return head.isEmpty() || dueMillis < head.getAsLong();
	}

	static long dueMillis(Due due, long nowMillis) {
		String form = due.toString();
		return form.startsWith("+") ? nowMillis + Long.parseLong(form.substring(1)) : Long.parseLong(form);
	}

	static boolean isTooFar(long dueMillis, long nowMicros) {
		return dueMillis > nowMicros / 1000 + TestStore.MAX_DELAY.toMillis();
	}

}
