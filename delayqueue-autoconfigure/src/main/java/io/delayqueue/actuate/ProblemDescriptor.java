package io.delayqueue.actuate;

import java.util.List;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.actuate.ProblemException.Problem;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * Problem details (RFC 9457) of a failed request. Problem details contain no text that
 * the caller has sent.
 *
 * @param type the URN that identifies the kind of the problem
 * @param title a description of the cause
 * @param status the HTTP status
 * @param detail what the caller can do about the problem, {@code null} if the title is
 * sufficient
 * @param parameter the name of the invalid parameter, {@code null} if there is none
 */
record ProblemDescriptor(String type, String title, int status, @Nullable String detail,
		@Nullable String parameter) implements OperationResponseBody {

	private static final MimeType PROBLEM = MimeTypeUtils.parseMimeType("application/problem+json");

	static WebEndpointResponse<OperationResponseBody> of(Problem problem) {
		return of(problem, problem.detail(), null);
	}

	static WebEndpointResponse<OperationResponseBody> invalidParameter(InvalidMessageException invalid) {
		return of(Problem.INVALID_PARAMETER, invalid.field() + " " + invalid.rule(), invalid.field());
	}

	static WebEndpointResponse<OperationResponseBody> unknownParameter(List<String> accepted) {
		return of(Problem.UNKNOWN_PARAMETER, accepted.isEmpty() ? "the action has no parameters"
				: "parameters of the action must be among " + String.join(", ", accepted), null);
	}

	private static WebEndpointResponse<OperationResponseBody> of(Problem problem, @Nullable String detail,
			@Nullable String parameter) {
		return new WebEndpointResponse<>(new ProblemDescriptor("urn:delayqueue:" + DiagnosticText.word(problem),
				problem.title(), problem.status(), detail, parameter), problem.status(), PROBLEM);
	}

}
