package io.delayqueue.sample.reports;

/**
 * Counts of the reports of a game at one moment, for all instances.
 *
 * @param accepted accepted reports
 * @param reported handled reports
 * @param batches the number of their batches
 * @param dropped reports that were replaced by newer ones
 * @param expired reports that were too old
 * @param largestBatch the number of reports of the largest batch
 */
record GameStats(long accepted, long reported, long batches, long dropped, long expired, long largestBatch) {

}
