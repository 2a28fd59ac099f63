package io.delayqueue.soak;

import io.delayqueue.process.fixture.Journal.Line;

/**
 * The message as a handler receives it.
 *
 * @param dueMillis the due time, ms since 1970
 * @param payload the payload
 */
record Begin(long dueMillis, String payload) {

	static Begin of(Line line) {
		String[] fields = line.more().split("/");
		return new Begin(Long.parseLong(fields[0]), fields[1]);
	}

	@Override
	public String toString() {
		return this.dueMillis + "/" + this.payload;
	}

}
