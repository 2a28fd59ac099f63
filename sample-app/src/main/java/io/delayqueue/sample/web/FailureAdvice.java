package io.delayqueue.sample.web;

import java.time.Duration;

import io.delayqueue.DelayQueueException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers where neither a feature nor Spring MVC does. While Redis is away or has given
 * no answer that is 503 with {@code Retry-After}: each call of this application may be
 * repeated, so the caller need not know whether it was carried out. Anything else is a
 * bug.
 */
@RestControllerAdvice
final class FailureAdvice {

	private static final Logger logger = LoggerFactory.getLogger(FailureAdvice.class);

	private static final String NO_ANSWER = "Redis gave no answer; repeating the call with the same id is safe";

	private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

	@ExceptionHandler
	ResponseEntity<ProblemDetail> onUnknownOutcome(ScheduleOutcomeUnknownException ex) {
		return tryAgain("outcome-unknown", NO_ANSWER, ex);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> onDelayQueueFailure(DelayQueueException ex) {
		return tryAgain("redis-unavailable", NO_ANSWER, ex);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> onDrainingQueue(QueueDrainingException ex) {
		return tryAgain("queue-draining", "Nothing new is accepted for now", ex);
	}

	@ExceptionHandler
	ProblemDetail onFullGroup(QuotaExceededException ex) {
		return Problems.problem(HttpStatus.CONFLICT, "quota-exceeded", ex.getMessage());
	}

	/** Spring's translation of timeouts and refused connections is not one exception. */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> onRedisFailure(DataAccessException ex) {
		return tryAgain("redis-unavailable", NO_ANSWER, ex);
	}

	@ExceptionHandler
	ProblemDetail onInvalidMessage(InvalidMessageException ex) {
		return Problems.problem(HttpStatus.BAD_REQUEST, "invalid-request", ex.getMessage());
	}

	@ExceptionHandler
	ProblemDetail onBug(Exception ex) {
		logger.error("A request failed unexpectedly and is answered 500", ex);
		return Problems.problem(HttpStatus.INTERNAL_SERVER_ERROR, "internal-error", null);
	}

	private static ResponseEntity<ProblemDetail> tryAgain(String type, String detail, Exception failure) {
		logger.warn("A request is answered 503 {}: {}", type, failure.toString());
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
			.header(HttpHeaders.RETRY_AFTER, Long.toString(RETRY_AFTER.toSeconds()))
			.body(Problems.problem(HttpStatus.SERVICE_UNAVAILABLE, type, detail));
	}

}
