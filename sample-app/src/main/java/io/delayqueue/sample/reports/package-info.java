/**
 * What players of games have done, reported in batches of one game (queue
 * {@code report}).
 * <p>
 * The queue does the bounding: at most 1,000 reports of a game wait, of which the oldest
 * makes room; what is older than 3 minutes is not reported any more; a game that is named
 * in the configuration has consumers of its own. What is left to do here is to count, and
 * that once, however often a batch comes. In the order of a report's life:
 * {@code ReportController}, {@code Reports}, {@code ReportListener}, {@code ReportStats}
 * (and its scripts).
 */
@NullMarked
package io.delayqueue.sample.reports;

import org.jspecify.annotations.NullMarked;
