package io.delayqueue.benchmark;

/**
 * A value of one line of the table.
 *
 * @param line the name of the value with its unit
 * @param value the value
 */
record Measured(String line, double value) {

	/** Whether more is better; else less is. */
	static boolean isRate(String line) {
		return line.endsWith("/s");
	}

}
