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
 * @param similar the names of queues that the request may have meant, {@code null} if
 * there are none
 */
record ProblemDescriptor(String type, String title, int status, @Nullable String detail, @Nullable String parameter,
		@Nullable List<String> similar) implements OperationResponseBody {

	private static final MimeType PROBLEM = MimeTypeUtils.parseMimeType("application/problem+json");

	static WebEndpointResponse<OperationResponseBody> of(Problem problem) {
		return of(problem, problem.detail(), null, null);
	}

	static WebEndpointResponse<OperationResponseBody> of(ProblemException failure) {
		List<String> similar = failure.similar();
		return similar.isEmpty() ? of(failure.problem())
				: of(failure.problem(), "Did you mean " + String.join(" or ", similar) + "?", null, similar);
	}

	static WebEndpointResponse<OperationResponseBody> invalidParameter(InvalidMessageException invalid) {
		return of(Problem.INVALID_PARAMETER, invalid.field() + " " + invalid.rule(), invalid.field(), null);
	}

	static WebEndpointResponse<OperationResponseBody> unknownParameter(String of, List<String> accepted) {
		return of(Problem.UNKNOWN_PARAMETER, accepted.isEmpty() ? "the " + of + " has no parameters"
				: "parameters of the " + of + " must be among " + String.join(", ", accepted), null, null);
	}

	private static WebEndpointResponse<OperationResponseBody> of(Problem problem, @Nullable String detail,
			@Nullable String parameter, @Nullable List<String> similar) {
		return new WebEndpointResponse<>(new ProblemDescriptor("urn:delayqueue:" + DiagnosticText.word(problem),
				problem.title(), problem.status(), detail, parameter, similar), problem.status(), PROBLEM);
	}

}
