package io.delayqueue.benchmark;

/**
 * A measured value, which appears in one line of the table of results.
 *
 * @param line the name of the value with its unit
 * @param value the value
 */
record Measured(String line, double value) {

	/**
	 * Returns whether the values of a line are rates, of which a higher value is better.
	 * Of all other values a lower value is better.
	 */
	static boolean isRate(String line) {
		return line.endsWith("/s");
	}

}
