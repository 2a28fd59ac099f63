package io.delayqueue.sample.web;

import java.net.URI;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/** Creates the exceptions that Spring converts to responses with a status 4xx. */
public final class Problems {

	private static final String TYPES = "urn:delayqueue-sample:";

	private static final int SHOWN = 60;

	private Problems() {
	}

	/**
	 * Creates the exception for an invalid field or parameter of a request.
	 * @param field the name of the field
	 * @param value the offending value
	 * @param rule the rule that completes the sentence "the value must be ..."
	 * @return an exception with status 400 and type {@code invalid-request}
	 */
	public static ErrorResponseException invalid(String field, @Nullable Object value, String rule) {
		ProblemDetail problem = problem(HttpStatus.BAD_REQUEST, "invalid-request",
				"%s is %s but must be %s".formatted(field, shown(value), rule));
		problem.setProperty("field", field);
		return new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, null);
	}

	/**
	 * Creates the exception for a resource that does not exist.
	 * @param type the type of the problem
	 * @param detail the description with the id
	 * @return an exception with status 404
	 */
	public static ErrorResponseException notFound(String type, String detail) {
		return new ErrorResponseException(HttpStatus.NOT_FOUND, problem(HttpStatus.NOT_FOUND, type, detail), null);
	}

	/**
	 * Creates the exception for a valid request that the current state of the resource
	 * does not permit.
	 * @param type the type of the problem
	 * @param detail the description with the id
	 * @return an exception with status 409
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
