package io.delayqueue.sample.reports;

/**
 * The counts of the reports of a game at one moment, over all instances of the
 * application.
 *
 * @param accepted the number of accepted reports
 * @param reported the number of handled reports
 * @param batches the number of batches of handled reports
 * @param dropped the number of reports that newer reports have replaced
 * @param expired the number of reports that expired before they were handled
 * @param largestBatch the number of reports of the largest batch
 */
record GameStats(long accepted, long reported, long batches, long dropped, long expired, long largestBatch) {

}
