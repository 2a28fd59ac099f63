package io.delayqueue.sample.web;

import java.net.URI;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/** Creates exceptions for client errors. */
public final class Problems {

	private static final String TYPES = "urn:delayqueue-sample:";

	private static final int SHOWN = 60;

	private Problems() {
	}

	/**
	 * An invalid field or parameter.
	 * @param field its name
	 * @param value the offending value
	 * @param rule the rule that it must follow, as the rest of a sentence
	 * @return 400 {@code invalid-request}
	 */
	public static ErrorResponseException invalid(String field, @Nullable Object value, String rule) {
		ProblemDetail problem = problem(HttpStatus.BAD_REQUEST, "invalid-request",
				"%s is %s but must be %s".formatted(field, shown(value), rule));
		problem.setProperty("field", field);
		return new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, null);
	}

	/**
	 * A missing resource.
	 * @param type the type of the problem
	 * @param detail the description with the id
	 * @return 404
	 */
	public static ErrorResponseException notFound(String type, String detail) {
		return new ErrorResponseException(HttpStatus.NOT_FOUND, problem(HttpStatus.NOT_FOUND, type, detail), null);
	}

	/**
	 * A valid request that is not possible in the current state.
	 * @param type the type of the problem
	 * @param detail the description with the id
	 * @return 409
	 */
	public static ErrorResponseException conflict(String type, String detail) {
		return new ErrorResponseException(HttpStatus.CONFLICT, problem(HttpStatus.CONFLICT, type, detail), null);
	}

	static ProblemDetail problem(HttpStatus status, String type, @Nullable String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setType(URI.create(TYPES + type));
		return problem;
	}

	private static String shown(@Nullable Object value) {
		if (value == null) {
			return "missing";
		}
		String text = value.toString();
		return "'" + ((text.length() > SHOWN) ? text.substring(0, SHOWN) + "..." : text) + "'";
	}

}
