package io.delayqueue.sample.reports;

import io.delayqueue.DelayedListener;
import io.delayqueue.Recurring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/** Logs the counts of all games each morning, in one of the instances. */
@Component
final class ReportDigest {

	private static final Logger logger = LoggerFactory.getLogger(ReportDigest.class);

	private final ReportStats stats;

	ReportDigest(ReportStats stats) {
		this.stats = stats;
	}

	@DelayedListener(queue = "report-digest")
	@Recurring(key = "daily", cron = "0 0 9 * * *", zone = "Europe/Berlin")
	void log(String nothing) {
		this.stats.read()
			.forEach((game, counts) -> logger.info("Game '{}' has {} reports in {} batches", game, counts.reported(),
					counts.batches()));
	}

}
