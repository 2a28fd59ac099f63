package io.delayqueue.outbox.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * Offers {@link DelayQueueOutboxEndpoint} over HTTP. The response is 404 with problem
 * details if the outbox has no failed row with the given number.
 */
@RegisterReflectionForBinding(DelayQueueOutboxEndpointWebExtension.ProblemDescriptor.class)
@EndpointWebExtension(endpoint = DelayQueueOutboxEndpoint.class)
public class DelayQueueOutboxEndpointWebExtension {

	private static final MimeType PROBLEM = MimeTypeUtils.parseMimeType("application/problem+json");

	private static final WebEndpointResponse<Object> UNKNOWN_ROW = notFound(
			"The outbox has no failed row with this number");

	private static final WebEndpointResponse<Object> NOT_RETRIED = notFound("The outbox has no failed row with this"
			+ " number, or a later row of its message was sent or is being sent: look at the reason of the row");

	private final DelayQueueOutboxEndpoint endpoint;

	DelayQueueOutboxEndpointWebExtension(DelayQueueOutboxEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * The body of an error response: problem details (RFC 9457).
	 *
	 * @param type the URN of the cause
	 * @param title a description of the cause
	 * @param status the HTTP status
	 */
	record ProblemDescriptor(String type, String title, int status) {
	}

	private static WebEndpointResponse<Object> notFound(String title) {
		return new WebEndpointResponse<>(
				new ProblemDescriptor("urn:delayqueue:unknown-row", title, WebEndpointResponse.STATUS_NOT_FOUND),
				WebEndpointResponse.STATUS_NOT_FOUND, PROBLEM);
	}

	/**
	 * Responds with 200, or with 404 if the outbox has no failed row with this number, or
	 * if a later row of the same message prevents the retry.
	 */
	@WriteOperation
	WebEndpointResponse<Object> retry(@Selector long row, SecurityContext security) {
		return respond(this.endpoint.retry(row, security), NOT_RETRIED);
	}

	/**
	 * Responds with 200, or with 404 if the outbox has no failed row with this number.
	 */
	@DeleteOperation
	WebEndpointResponse<Object> remove(@Selector long row) {
		return respond(this.endpoint.remove(row), UNKNOWN_ROW);
	}

	private static WebEndpointResponse<Object> respond(@Nullable Boolean done, WebEndpointResponse<Object> otherwise) {
		return (done != null) ? new WebEndpointResponse<>(done) : otherwise;
	}

}
