package io.delayqueue.sample.web;

import java.sql.SQLException;
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
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Creates the responses for exceptions that neither a feature nor Spring MVC handles.
 * While Redis or the database does not answer, the response is 503 with
 * {@code Retry-After}: all calls of this application are idempotent, so the caller can
 * repeat a call. Any exception that is not mapped here is a bug.
 */
@RestControllerAdvice
final class FailureAdvice {

	private static final Logger logger = LoggerFactory.getLogger(FailureAdvice.class);

	private static final String NO_ANSWER = "Redis does not answer; repeating the call with the same id is safe";

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
		return tryAgain("queue-draining", "The queue is draining and accepts no new messages", ex);
	}

	@ExceptionHandler
	ProblemDetail onFullGroup(QuotaExceededException ex) {
		return Problems.problem(HttpStatus.CONFLICT, "quota-exceeded", ex.getMessage());
	}

	/**
	 * Spring throws different exceptions for timeouts and refused connections, so this
	 * method accepts their common superclass.
	 */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> onFailureOfAStore(DataAccessException ex) {
		return ex.contains(SQLException.class) ? onDatabaseFailure(ex) : tryAgain("redis-unavailable", NO_ANSWER, ex);
	}

	@ExceptionHandler(TransactionException.class)
	ResponseEntity<ProblemDetail> onDatabaseFailure(Exception ex) {
		return tryAgain("database-unavailable",
				"The database does not answer; repeating the call with the same id is safe", ex);
	}

	@ExceptionHandler
	ProblemDetail onInvalidMessage(InvalidMessageException ex) {
		return Problems.problem(HttpStatus.BAD_REQUEST, "invalid-request", ex.getMessage());
	}

	@ExceptionHandler
	ProblemDetail onBug(Exception ex) {
		logger.error("A request failed unexpectedly; the response is 500", ex);
		return Problems.problem(HttpStatus.INTERNAL_SERVER_ERROR, "internal-error", null);
	}

	private static ResponseEntity<ProblemDetail> tryAgain(String type, String detail, Exception failure) {
		logger.warn("The response to a request is 503 {}: {}", type, failure.toString());
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
			.header(HttpHeaders.RETRY_AFTER, Long.toString(RETRY_AFTER.toSeconds()))
			.body(Problems.problem(HttpStatus.SERVICE_UNAVAILABLE, type, detail));
	}

}
