package io.delayqueue.actuate;

import java.util.function.Supplier;

import io.delayqueue.store.FailureKind;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link DelayQueueEndpoint} over HTTP: 404 for a queue that is not known, whatever its
 * name, and 503 while Redis does not answer. How long that takes to find out is bounded
 * by the timeouts of the application's Redis client. Safe for use by several threads.
 */
@RegisterReflectionForBinding(ProblemDescriptor.class)
@EndpointWebExtension(endpoint = DelayQueueEndpoint.class)
public final class DelayQueueEndpointWebExtension {

	private static final Log logger = LogFactory.getLog(DelayQueueEndpointWebExtension.class);

	private final DelayQueueEndpoint endpoint;

	/**
	 * Creates the extension.
	 * @param endpoint what is shown
	 */
	public DelayQueueEndpointWebExtension(DelayQueueEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * All queues.
	 * @return 200 with {@link QueuesDescriptor}, or 503
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> queues() {
		return respond(this.endpoint::queues);
	}

	/**
	 * One queue.
	 * @param queue the queue's name
	 * @return 200 with {@link QueueDescriptor}, 404 or 503
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> queue(@Selector String queue) {
		return respond(() -> this.endpoint.queue(queue));
	}

	private static WebEndpointResponse<OperationResponseBody> respond(
			Supplier<? extends @Nullable OperationResponseBody> question) {
		try {
			OperationResponseBody body = question.get();
			return (body != null) ? new WebEndpointResponse<>(body) : ProblemDescriptor.unknownQueue();
		}
		catch (StoreException failure) {
			if (failure.kind() == FailureKind.REFUSED) {
				logger.warn("The queues could not be counted: " + failure.getMessage());
			}
			logger.debug("The queues could not be counted", failure);
			return ProblemDescriptor.of(failure);
		}
	}

}
