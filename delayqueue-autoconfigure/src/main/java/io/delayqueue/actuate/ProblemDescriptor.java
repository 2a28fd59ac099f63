package io.delayqueue.actuate;

import io.delayqueue.store.FailureKind;
import io.delayqueue.store.StoreException;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * Why there is nothing to show, as problem details (RFC 9457).
 *
 * @param type tells the cause apart
 * @param title the cause in words
 * @param status the HTTP status
 */
public record ProblemDescriptor(String type, String title, int status) implements OperationResponseBody {

	private static final MimeType PROBLEM = MimeTypeUtils.parseMimeType("application/problem+json");

	static WebEndpointResponse<OperationResponseBody> unknownQueue() {
		return response("unknown-queue", "No queue of this name has ever been used",
				WebEndpointResponse.STATUS_NOT_FOUND);
	}

	static WebEndpointResponse<OperationResponseBody> of(StoreException failure) {
		return (failure.kind() == FailureKind.REFUSED)
				? response("redis-refused", "Redis refuses to count: see the log",
						WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE)
				: response("redis-unavailable", "Redis does not answer",
						WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

	private static WebEndpointResponse<OperationResponseBody> response(String type, String title, int status) {
		return new WebEndpointResponse<>(new ProblemDescriptor("urn:delayqueue:" + type, title, status), status,
				PROBLEM);
	}

}
