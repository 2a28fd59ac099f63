package io.delayqueue.sample.reports;

import java.util.List;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/** Handles batches of reports of one game. A redelivered report is counted once. */
@Component
final class ReportListener {

	private static final Logger logger = LoggerFactory.getLogger(ReportListener.class);

	private final ReportStats stats;

	ReportListener(ReportStats stats) {
		this.stats = stats;
	}

	@DelayedListener(queue = Reports.QUEUE, batch = "128", batchWait = "200ms", groupBy = true)
	void report(List<DelayedMessage<Report>> batch) {
		String game = batch.get(0).payload().game();
		this.stats.countReported(game, batch.stream().map(DelayedMessage::id).toList());
		logger.debug("{} reports of game '{}' are reported", batch.size(), game);
	}

	@DelayedListener(queue = Reports.QUEUE, expired = true)
	void expire(DelayedMessage<Report> report) {
		this.stats.countExpired(report.payload().game(), report.id());
	}

}
