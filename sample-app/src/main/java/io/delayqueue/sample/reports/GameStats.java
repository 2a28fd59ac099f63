package io.delayqueue.sample.reports;

/**
 * What became of the reports of a game, in all instances; a moment's counts.
 *
 * @param accepted how many were taken
 * @param reported how many were reported
 * @param batches in how many batches
 * @param dropped how many made room for newer ones
 * @param expired how many had waited for too long
 * @param largestBatch the most reports of a batch
 */
record GameStats(long accepted, long reported, long batches, long dropped, long expired, long largestBatch) {

}
