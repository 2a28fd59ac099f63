package io.delayqueue.actuate;

import java.util.Set;
import java.util.function.Supplier;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.store.FailureKind;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link DelayQueueEndpoint} over HTTP: 404 for a queue, a message or a view that is not
 * known, 400 for a parameter that breaks its rule, and 503 while Redis does not answer,
 * each with problem details. How long it takes to find out that Redis does not answer is
 * bounded by the timeouts of the application's Redis client. Safe for use by several
 * threads.
 */
@RegisterReflectionForBinding(ProblemDescriptor.class)
@EndpointWebExtension(endpoint = DelayQueueEndpoint.class)
public final class DelayQueueEndpointWebExtension {

	private static final Log logger = LogFactory.getLog(DelayQueueEndpointWebExtension.class);

	private final DelayQueueEndpoint endpoint;

	private final Show showPayloads;

	private final Set<String> roles;

	/**
	 * Creates the extension.
	 * @param endpoint what is shown
	 * @param showPayloads whether payloads are shown
	 * @param roles who may see them, if only those who are authorized may: whoever has
	 * one of these roles; none for whoever is authenticated
	 */
	public DelayQueueEndpointWebExtension(DelayQueueEndpoint endpoint, Show showPayloads, Set<String> roles) {
		this.endpoint = endpoint;
		this.showPayloads = showPayloads;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * All queues, or a page of them.
	 * @param from the name with which to begin
	 * @param limit the most queues, 1 to 1,000
	 * @return 200 with {@link QueuesDescriptor}, 400 or 503
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> queues(@Nullable String from, @Nullable String limit) {
		return respond(() -> this.endpoint.queues(from, Parameters.limit(limit, QueueReports.MOST)));
	}

	/**
	 * One queue.
	 * @param queue the queue's name
	 * @return 200 with {@link QueueDescriptor}, 404 or 503
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> queue(@Selector String queue) {
		return respond(() -> this.endpoint.show(queue));
	}

	/**
	 * Some messages of a queue, or one of them, with the parameters of
	 * {@link DelayQueueEndpoint#view}.
	 * @param security who asks
	 * @param queue the queue's name
	 * @param view what to show
	 * @param state of which messages
	 * @param id of which message
	 * @param group of which group
	 * @param reason of which dead letters
	 * @param from where the page begins
	 * @param limit the most of them
	 * @return 200 with {@link MessagesDescriptor}, {@link MessageDescriptor} or
	 * {@link DeadLettersDescriptor}; 400, 404 or 503
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> view(SecurityContext security, @Selector String queue,
			@Selector String view, @Nullable String state, @Nullable String id, @Nullable String group,
			@Nullable String reason, @Nullable String from, @Nullable String limit) {
		return respond(() -> this.endpoint.show(queue, view,
				new Parameters(state, id, group, reason, from, Parameters.limit(limit, MessageReports.MOST)),
				this.showPayloads.isShown(security, this.roles)));
	}

	private static WebEndpointResponse<OperationResponseBody> respond(
			Supplier<? extends OperationResponseBody> question) {
		try {
			return new WebEndpointResponse<>(question.get());
		}
		catch (UnknownException unknown) {
			return ProblemDescriptor.of(unknown);
		}
		catch (InvalidMessageException invalid) {
			return ProblemDescriptor.of(invalid);
		}
		catch (StoreException failure) {
			if (failure.kind() == FailureKind.REFUSED) {
				logger.warn("The queues could not be looked at: " + failure.getMessage());
			}
			logger.debug("The queues could not be looked at", failure);
			return ProblemDescriptor.of(failure);
		}
	}

}
