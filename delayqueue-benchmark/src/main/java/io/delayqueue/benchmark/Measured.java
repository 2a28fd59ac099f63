package io.delayqueue.benchmark;

/**
 * A value of one line of the table.
 *
 * @param line what was measured, with its unit
 * @param value how much
 */
record Measured(String line, double value) {
}
