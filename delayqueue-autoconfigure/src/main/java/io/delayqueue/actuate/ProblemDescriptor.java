package io.delayqueue.actuate;

import java.util.Locale;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.store.FailureKind;
import io.delayqueue.store.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * Why there is nothing to show, or nothing was done, as problem details (RFC 9457).
 * Nothing of what the caller has sent stands in it.
 *
 * @param type tells the cause apart
 * @param title the cause in words
 * @param status the HTTP status
 * @param detail what would be right, {@code null} if the title says all
 * @param parameter the name of the parameter that is wrong, {@code null} if none is
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
		return response("invalid-parameter", "A parameter breaks its rule", WebEndpointResponse.STATUS_BAD_REQUEST,
				invalid.field() + " " + invalid.rule(), invalid.field());
	}

	static WebEndpointResponse<OperationResponseBody> of(ConflictException conflict) {
		return response(word(conflict.what()), conflict.what().title(), CONFLICT, conflict.what().detail(), null);
	}

	static WebEndpointResponse<OperationResponseBody> of(StoreException failure) {
		return (failure.kind() == FailureKind.REFUSED) ? redisRefused() : redisUnavailable();
	}

	static WebEndpointResponse<OperationResponseBody> redisRefused() {
		return response("redis-refused", "Redis refuses to tell: see the log",
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
