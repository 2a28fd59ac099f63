package io.delayqueue.sample.reports;

import java.util.List;
import java.util.Map;

import io.delayqueue.sample.web.Problems;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/reports")
final class ReportController {

	private static final int MOST_AT_ONCE = 10_000;

	private final Reports reports;

	ReportController(Reports reports) {
		this.reports = reports;
	}

	@PostMapping
	@ResponseStatus(HttpStatus.ACCEPTED)
	Receipt take(@RequestBody NewReport report) {
		return this.reports.take(List.of(report.checked()));
	}

	@PostMapping("/bulk")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Receipt take(@RequestBody List<@Nullable NewReport> reports) {
		if (reports.size() > MOST_AT_ONCE) {
			throw Problems.invalid("reports", reports.size() + " reports", "at most " + MOST_AT_ONCE);
		}
		return this.reports.take(reports.stream().map(ReportController::checked).toList());
	}

	@GetMapping("/stats")
	Stats stats() {
		return new Stats(this.reports.stats());
	}

	private static Report checked(@Nullable NewReport report) {
		if (report == null) {
			throw Problems.invalid("reports", null, "without null");
		}
		return report.checked();
	}

	record Stats(Map<String, GameStats> games) {

	}

}
