package io.delayqueue.actuate;

import java.util.Collection;
import java.util.List;

import io.delayqueue.queue.SimilarNames;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Thrown if a request names a queue, message, view or action that does not exist, or if
 * the current state of the queue or message does not permit the request.
 */
final class ProblemException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * The cause of a failed request. The name of the constant is also the last part of
	 * the URN of the problem.
	 */
	enum Problem {

		INVALID_PARAMETER(WebEndpointResponse.STATUS_BAD_REQUEST, "A parameter is invalid", null),

		UNKNOWN_PARAMETER(WebEndpointResponse.STATUS_BAD_REQUEST, "There is no parameter of that name", null),

		UNKNOWN_QUEUE(WebEndpointResponse.STATUS_NOT_FOUND, "No queue of this name has ever been used", null),

		UNKNOWN_VIEW(WebEndpointResponse.STATUS_NOT_FOUND,
				"A queue has no view of this name; the views are messages, message, history, dead-letters,"
						+ " recurring and trend",
				null),

		UNKNOWN_MESSAGE(WebEndpointResponse.STATUS_NOT_FOUND,
				"The queue has no message with this id, or none in this group", null),

		UNKNOWN_DEAD_LETTER(WebEndpointResponse.STATUS_NOT_FOUND,
				"The queue has no dead letter with this id, or none in this group", null),

		UNKNOWN_SCHEDULE(WebEndpointResponse.STATUS_NOT_FOUND, "The queue has no recurring schedule with this key",
				null),

		UNKNOWN_ACTION(WebEndpointResponse.STATUS_NOT_FOUND,
				"A queue has no action of this name; the actions are cancel, reschedule, redrive, edit, discard, pause, resume,"
						+ " hold, release, limit-rate, clear-rate-limit, pause-recurring, resume-recurring, run-recurring,"
						+ " drain, reopen, repartition, purge, audit and repair",
				null),

		/**
		 * The message was cancelled while a consumer had it, so its handler may still
		 * finish.
		 */
		CANCELLED_IN_FLIGHT(Problem.CONFLICT, "A consumer has the message",
				"Its handler may finish. The message is removed, no retry and no redelivery follow"),

		/** The message cannot be rescheduled while a consumer has it. */
		IN_FLIGHT(Problem.CONFLICT, "A consumer has the message",
				"Nothing was changed; try again when the handler has failed, or cancel the message"),

		/** The message cannot be rescheduled because it is a dead letter. */
		DEAD_LETTER(Problem.CONFLICT, "The message is a dead letter", "Nothing was changed; redrive it"),

		/** The message cannot be redriven because its group has reached its quota. */
		QUOTA_EXCEEDED(Problem.CONFLICT, "The group of the message has used up its quota",
				"Nothing was changed; try again when a message of the group has finished, cancel one, or raise the quota"),

		/** A dead letter cannot get an id that another message of its group has. */
		DUPLICATE(Problem.CONFLICT, "A message with the new id exists", "Nothing was changed; choose another id"),

		/**
		 * The queue is draining, so it accepts no further occurrence of a recurring
		 * schedule, and no message with a new id.
		 */
		DRAINING(Problem.CONFLICT, "The queue accepts no new messages", "Nothing was changed; reopen it first"),

		/** The partition count cannot be changed before an earlier change has ended. */
		REPARTITION_PENDING(Problem.CONFLICT, "An earlier change of the partition count has not ended",
				"Nothing was changed; try again when older partitions of the queue, which epochs lists, have ended"),

		/**
		 * The record of the message has a format that this version of the library cannot
		 * read.
		 */
		UNKNOWN_RECORD(Problem.CONFLICT, "The message is stored in a form that this version of the library cannot read",
				"Ask a process with the newer version"),

		/** It is unknown whether an occurrence of a recurring schedule was stored. */
		OUTCOME_UNKNOWN(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
				"It is unknown whether the message was scheduled",
				"Look for the message before you repeat the operation: a repeat schedules another message"),

		REDIS_REFUSED(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, "Redis refuses the call: see the log", null),

		REDIS_UNAVAILABLE(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, "Redis does not answer", null);

		private static final int CONFLICT = 409;

		private final int status;

		private final String title;

		private final @Nullable String detail;

		Problem(int status, String title, @Nullable String detail) {
			this.status = status;
			this.title = title;
			this.detail = detail;
		}

		/** Returns the HTTP status of the problem. */
		int status() {
			return this.status;
		}

		String title() {
			return this.title;
		}

		/**
		 * Returns what the caller can do about the problem, {@code null} if the title is
		 * sufficient.
		 */
		@Nullable String detail() {
			return this.detail;
		}

	}

	private static final int MOST_SIMILAR = 3;

	private final Problem problem;

	private final List<String> similar;

	ProblemException(Problem problem) {
		this(problem, List.of());
	}

	private ProblemException(Problem problem, List<String> similar) {
		super(problem.title + ((problem.detail != null) ? ". " + problem.detail : ""), null, false, false);
		this.problem = problem;
		this.similar = similar;
	}

	/**
	 * Creates the exception for a queue that does not exist.
	 * @param queue the name in the request
	 * @param known the names of all queues
	 */
	static ProblemException unknownQueue(String queue, Collection<String> known) {
		return new ProblemException(Problem.UNKNOWN_QUEUE,
				SimilarNames.of(queue, known).stream().limit(MOST_SIMILAR).toList());
	}

	/** Returns the names of queues that the request may have meant. */
	List<String> similar() {
		return this.similar;
	}

	Problem problem() {
		return this.problem;
	}

	/**
	 * Returns whether the request names a queue, message, view or action that does not
	 * exist.
	 */
	boolean isNotFound() {
		return this.problem.status == WebEndpointResponse.STATUS_NOT_FOUND;
	}

}
