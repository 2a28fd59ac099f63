package io.delayqueue.actuate;

import java.util.Locale;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * Problem details (RFC 9457) of a failed request. Contains no text that the caller has
 * sent.
 *
 * @param type the URN of the cause
 * @param title a description of the cause
 * @param status the HTTP status
 * @param detail what the caller can do, {@code null} if the title is sufficient
 * @param parameter the name of the invalid parameter, {@code null} if there is none
 */
public record ProblemDescriptor(String type, String title, int status, @Nullable String detail,
		@Nullable String parameter) implements OperationResponseBody {

	private static final int CONFLICT = 409;

	private static final MimeType PROBLEM = MimeTypeUtils.parseMimeType("application/problem+json");

	static WebEndpointResponse<OperationResponseBody> of(UnknownException unknown) {
		return response("unknown-" + word(unknown.what()), unknown.what().title(), WebEndpointResponse.STATUS_NOT_FOUND,
				null, null);
	}

	static WebEndpointResponse<OperationResponseBody> of(InvalidMessageException invalid) {
		return response("invalid-parameter", "A parameter is invalid", WebEndpointResponse.STATUS_BAD_REQUEST,
				invalid.field() + " " + invalid.rule(), invalid.field());
	}

	static WebEndpointResponse<OperationResponseBody> of(ConflictException conflict) {
		return response(word(conflict.what()), conflict.what().title(), CONFLICT, conflict.what().detail(), null);
	}

	static WebEndpointResponse<OperationResponseBody> of(StoreException failure) {
		return (failure.kind() == FailureKind.REFUSED) ? redisRefused() : redisUnavailable();
	}

	static WebEndpointResponse<OperationResponseBody> redisRefused() {
		return response("redis-refused", "Redis refuses the call: see the log",
				WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, null, null);
	}

	static WebEndpointResponse<OperationResponseBody> redisUnavailable() {
		return response("redis-unavailable", "Redis does not answer", WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
				null, null);
	}

	static WebEndpointResponse<OperationResponseBody> unknownParameter(String known) {
		return response("unknown-parameter", "There is no parameter of that name",
				WebEndpointResponse.STATUS_BAD_REQUEST, "parameters must be among " + known, null);
	}

	private static String word(Enum<?> what) {
		return what.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private static WebEndpointResponse<OperationResponseBody> response(String type, String title, int status,
			@Nullable String detail, @Nullable String parameter) {
		return new WebEndpointResponse<>(
				new ProblemDescriptor("urn:delayqueue:" + type, title, status, detail, parameter), status, PROBLEM);
	}

}
