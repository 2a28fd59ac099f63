/**
 * Reports of players' behaviour (queue {@code report}), handled in batches; all reports
 * of a batch are about one game.
 * <p>
 * The queue enforces the limits: at most 1,000 reports of a game wait, and a further
 * report replaces the one with the earliest due time; reports expire after 3 minutes; a
 * game that the configuration marks as dedicated has its own handler threads. This
 * package counts each report once, even if a batch is redelivered. A report goes through
 * {@code ReportController}, {@code Reports}, {@code ReportListener}, {@code ReportStats}
 * (and its scripts), in this order. {@code ReportDigest} reports the counts each morning
 * (queue {@code report-digest}).
 */
@NullMarked
package io.delayqueue.sample.reports;

import org.jspecify.annotations.NullMarked;
