package io.delayqueue.sample.web;

import java.net.URI;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/** The problems that a caller can mend, ready to be thrown. */
public final class Problems {

	private static final String TYPES = "urn:delayqueue-sample:";

	private static final int SHOWN = 60;

	private Problems() {
	}

	/**
	 * A field or parameter that breaks its rule.
	 * @param field its name
	 * @param value the offending value
	 * @param rule what it must be
	 * @return 400 {@code invalid-request}
	 */
	public static ErrorResponseException invalid(String field, @Nullable Object value, String rule) {
		ProblemDetail problem = problem(HttpStatus.BAD_REQUEST, "invalid-request",
				"%s is %s but must be %s".formatted(field, shown(value), rule));
		problem.setProperty("field", field);
		return new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, null);
	}

	/**
	 * Something that is not there.
	 * @param type what is not there
	 * @param detail the same with its id
	 * @return 404
	 */
	public static ErrorResponseException notFound(String type, String detail) {
		return new ErrorResponseException(HttpStatus.NOT_FOUND, problem(HttpStatus.NOT_FOUND, type, detail), null);
	}

	/**
	 * A request that is valid but too late.
	 * @param type what stands against it
	 * @param detail the same with the id
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
