package io.delayqueue.actuate;

import java.security.Principal;
import java.util.Set;
import java.util.function.Supplier;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
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
 * {@link DelayQueueEndpoint} over HTTP. Errors have problem details. 400: invalid or
 * unknown parameter. 404: unknown queue, message, view or action. 409: not possible in
 * the current state. 503: Redis does not answer, or refuses the call; the timeouts of the
 * application's Redis client bound the time until this response. Safe for use by several
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
	 * @param endpoint the endpoint
	 * @param showPayloads whether payloads are shown
	 * @param roles the roles of which a user needs at least one to see payloads, if these
	 * are shown to authorized users only; empty for all authenticated users
	 */
	public DelayQueueEndpointWebExtension(DelayQueueEndpoint endpoint, Show showPayloads, Set<String> roles) {
		this.endpoint = endpoint;
		this.showPayloads = showPayloads;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * Returns a page of queues.
	 * @param from the name with which the page begins
	 * @param limit the maximum number of queues, 1 to 1,000
	 * @return 200 with {@link QueuesDescriptor}, 400 or 503
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> queues(@Nullable String from, @Nullable String limit) {
		return respond(() -> this.endpoint.queues(from, Parameters.limit(limit, QueueReports.MAX_LIMIT)));
	}

	/**
	 * Returns one queue.
	 * @param queue the queue's name
	 * @return 200 with {@link QueueDescriptor}, 404 or 503
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> queue(@Selector String queue) {
		return respond(() -> this.endpoint.show(queue));
	}

	/**
	 * Returns a page of messages of a queue, or one message. The parameters are those of
	 * {@link DelayQueueEndpoint#view}.
	 * @param security the caller
	 * @param queue the queue's name
	 * @param view the view
	 * @param state the state of the messages
	 * @param id the id of the message
	 * @param group the group of the message
	 * @param reason the reason of the dead letters
	 * @param from where the page begins
	 * @param limit the maximum number of messages
	 * @return 200 with {@link MessagesDescriptor}, {@link MessageDescriptor} or
	 * {@link DeadLettersDescriptor}; 400, 404 or 503
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> view(SecurityContext security, @Selector String queue,
			@Selector String view, @Nullable String state, @Nullable String id, @Nullable String group,
			@Nullable String reason, @Nullable String from, @Nullable String limit) {
		return respond(() -> this.endpoint.show(queue, view,
				new Parameters(state, id, group, reason, from, Parameters.limit(limit, MessageReports.MAX_LIMIT)),
				this.showPayloads.isShown(security, this.roles)));
	}

	/**
	 * Operates a queue or messages of it. The parameters are those of
	 * {@link DelayQueueEndpoint#operate}.
	 * @param security the caller
	 * @param queue the queue's name
	 * @param action the action
	 * @param id the id of the message
	 * @param group the group of the message
	 * @param at the new due time
	 * @param delay the new due time, counted from now
	 * @param now whether the message becomes due now
	 * @param reason the reason of the dead letters
	 * @param limit the maximum number of dead letters
	 * @param within the duration over which due times are spread
	 * @param dryRun whether dead letters are only counted
	 * @param confirm the queue's name again, as a confirmation
	 * @param deadLetters whether dead letters are purged too
	 * @param from where to continue
	 * @return 200 with the result of {@link DelayQueueEndpoint#operate}; 400, 404, 409 or
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

	private static WebEndpointResponse<OperationResponseBody> respond(Supplier<? extends OperationResponseBody> call) {
		try {
			return new WebEndpointResponse<>(call.get());
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
				logger.warn("The queues could not be read: " + failure.getMessage());
			}
			logger.debug("The queues could not be read", failure);
			return ProblemDescriptor.of(failure);
		}
	}

}
