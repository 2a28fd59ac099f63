package io.delayqueue.actuate;

import java.security.Principal;
import java.util.Set;
import java.util.function.Supplier;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.RedisRefusedException;
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
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link DelayQueueEndpoint} over HTTP: 404 for a queue, a message, a view or an action
 * that is not known, 400 for a parameter that breaks its rule, 409 where things stand in
 * a way that forbids what is to be done, and 503 while Redis does not answer, each with
 * problem details. How long it takes to find out that Redis does not answer is bounded by
 * the timeouts of the application's Redis client. Safe for use by several threads.
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

	/**
	 * Does something with a queue or with messages of it, with the parameters of
	 * {@link DelayQueueEndpoint#operate}.
	 * @param security who asks for it
	 * @param queue the queue's name
	 * @param action what to do
	 * @param id with which message
	 * @param group of which group
	 * @param at the new due time
	 * @param delay the new due time, counted from now
	 * @param now whether it is due now
	 * @param reason with which dead letters
	 * @param limit the most of them
	 * @param within over how long to spread them
	 * @param dryRun whether they are only counted
	 * @param confirm the queue's name once more
	 * @param deadLetters whether dead letters are purged too
	 * @param from where to go on
	 * @return 200 with what {@link DelayQueueEndpoint#operate} answers; 400, 404, 409 or
	 * 503
	 */
	@WriteOperation
	public WebEndpointResponse<OperationResponseBody> operate(SecurityContext security, @Selector String queue,
			@Selector String action, @Nullable String id, @Nullable String group, @Nullable String at,
			@Nullable String delay, @Nullable String now, @Nullable String reason, @Nullable String limit,
			@Nullable String within, @Nullable String dryRun, @Nullable String confirm, @Nullable String deadLetters,
			@Nullable String from) {
		Principal principal = security.getPrincipal();
		OperationParameters parameters = OperationParameters.of(id, group, at, delay, now, reason, limit, within,
				dryRun, confirm, deadLetters, from);
		return respond(() -> this.endpoint.operate(
				(principal != null) ? principal.getName() : DelayQueueEndpoint.ANONYMOUS, queue, action, parameters));
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
		catch (ConflictException conflict) {
			return ProblemDescriptor.of(conflict);
		}
		catch (DelayQueueUnavailableException unavailable) {
			return ProblemDescriptor.redisUnavailable();
		}
		catch (RedisRefusedException refused) {
			return ProblemDescriptor.redisRefused();
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
