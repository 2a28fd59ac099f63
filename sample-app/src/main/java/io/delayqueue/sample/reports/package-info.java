/**
 * Reports of players' behaviour, handled in batches of one game (queue {@code report}).
 * <p>
 * The queue enforces the limits: at most 1,000 reports of a game wait, and a new report
 * replaces the oldest; reports expire after 3 minutes; a game that the configuration
 * names has dedicated consumers. This package counts each report once, even if a batch is
 * redelivered. The classes in the order of a report's life: {@code ReportController},
 * {@code Reports}, {@code ReportListener}, {@code ReportStats} (and its scripts).
 * {@code ReportDigest} reports the counts each morning (queue {@code report-digest}).
 */
@NullMarked
package io.delayqueue.sample.reports;

import org.jspecify.annotations.NullMarked;
