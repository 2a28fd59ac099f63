package io.delayqueue.sample.reports;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Service;

/** Accepts and counts reports. */
@Service
final class Reports {

	static final String QUEUE = "report";

	private static final Logger logger = LoggerFactory.getLogger(Reports.class);

	private final DelayQueueOperations delayQueue;

	private final ReportStats stats;

	Reports(DelayQueueOperations delayQueue, ReportStats stats) {
		this.delayQueue = delayQueue;
		this.stats = stats;
	}

	/**
	 * Schedules reports, which are due at once and delivered in batches.
	 * @param reports the reports
	 * @return the number of accepted reports, which is smaller than the number of reports
	 * if Redis becomes unavailable during the call
	 * @throws DelayQueueException if no report was accepted
	 */
	Receipt take(List<Report> reports) {
		List<ScheduleAnswer> answers = this.delayQueue.scheduleAll(reports.stream()
			.map((report) -> ScheduleRequest.to(QUEUE).group(report.game()).payload(report).delay(Duration.ZERO))
			.toList());
		Map<String, Receipt> receipts = new TreeMap<>();
		DelayQueueException failure = null;
		for (int i = 0; i < reports.size(); i++) {
			ScheduleAnswer answer = answers.get(i);
			if (answer.result() != null) {
				receipts.merge(reports.get(i).game(), new Receipt(1, answer.result().dropped().size()), Receipt::plus);
			}
			else {
				failure = answer.failure();
			}
		}
		if (receipts.isEmpty() && failure != null) {
			throw failure;
		}
		receipts.forEach(this::count);
		return receipts.values().stream().reduce(Receipt.NONE, Receipt::plus);
	}

	Map<String, GameStats> stats() {
		return this.stats.read();
	}

	/**
	 * Counts the accepted reports of a game. If counting fails, the reports stay
	 * accepted.
	 */
	private void count(String game, Receipt receipt) {
		try {
			this.stats.countTaken(game, receipt);
		}
		catch (DataAccessException ex) {
			logger.warn("{} reports of game '{}' were scheduled, but could not be added to the statistics: {}",
					receipt.accepted(), game, ex.toString());
		}
	}

}
