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
 * Why there is nothing to show, as problem details (RFC 9457). Nothing of what the caller
 * has sent stands in it.
 *
 * @param type tells the cause apart
 * @param title the cause in words
 * @param status the HTTP status
 * @param detail what would be right, {@code null} if the title says all
 * @param parameter the name of the parameter that is wrong, {@code null} if none is
 */
public record ProblemDescriptor(String type, String title, int status, @Nullable String detail,
		@Nullable String parameter) implements OperationResponseBody {

	private static final MimeType PROBLEM = MimeTypeUtils.parseMimeType("application/problem+json");

	static WebEndpointResponse<OperationResponseBody> of(UnknownException unknown) {
		return response("unknown-" + unknown.what().name().toLowerCase(Locale.ROOT), unknown.what().title(),
				WebEndpointResponse.STATUS_NOT_FOUND, null, null);
	}

	static WebEndpointResponse<OperationResponseBody> of(InvalidMessageException invalid) {
		return response("invalid-parameter", "A parameter breaks its rule", WebEndpointResponse.STATUS_BAD_REQUEST,
				invalid.field() + " " + invalid.rule(), invalid.field());
	}

	static WebEndpointResponse<OperationResponseBody> of(StoreException failure) {
		return (failure.kind() == FailureKind.REFUSED)
				? response("redis-refused", "Redis refuses to tell: see the log",
						WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, null, null)
				: response("redis-unavailable", "Redis does not answer", WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
						null, null);
	}

	private static WebEndpointResponse<OperationResponseBody> response(String type, String title, int status,
			@Nullable String detail, @Nullable String parameter) {
		return new WebEndpointResponse<>(
				new ProblemDescriptor("urn:delayqueue:" + type, title, status, detail, parameter), status, PROBLEM);
	}

}
