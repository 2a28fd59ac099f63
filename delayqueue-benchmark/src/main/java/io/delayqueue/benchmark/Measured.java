package io.delayqueue.benchmark;

/**
 * A value of one line of the table.
 *
 * @param line the name of the value with its unit
 * @param value the value
 */
record Measured(String line, double value) {

	/** Whether a higher value is better; otherwise a lower value is better. */
	static boolean isRate(String line) {
		return line.endsWith("/s");
	}

}
